// A small HTTP server for this machine only: it listens on the loopback interface, and answers only requests that
// contain its token.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace sgmcmc {

struct HttpAnswer {
  int status = 200;
  std::string type = "text/html; charset=utf-8";
  std::string body;
};

class LoopbackServer {
 public:
  /// port 0: any free port. Throws FileError if the server cannot listen on the port.
  explicit LoopbackServer(std::uint16_t port);
  ~LoopbackServer();
  LoopbackServer(const LoopbackServer&) = delete;
  LoopbackServer& operator=(const LoopbackServer&) = delete;

  std::string address() const;  ///< "http://127.0.0.1:40123/TOKEN/"

  /// Waits at most this long for one request, and answers it with the result of `handler`, called with the path after
  /// the token: "" or "state". Refuses requests without the token, for another host, or other than GET. Returns whether
  /// a request was answered.
  bool serve(int milliseconds, const std::function<HttpAnswer(std::string_view path)>& handler);

 private:
  HttpAnswer answer_to(const std::string& request, const std::function<HttpAnswer(std::string_view)>& handler,
                       bool& known) const;

  int socket_ = -1;
  std::uint16_t port_ = 0;
  std::string token_;
};

}  // namespace sgmcmc
