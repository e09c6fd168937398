// A small HTTP server for this machine only: it listens on the loopback interface, and answers requests that know its
// token.
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
  /// port 0: any that is free. Throws FileError where nothing can listen there.
  explicit LoopbackServer(std::uint16_t port);
  ~LoopbackServer();
  LoopbackServer(const LoopbackServer&) = delete;
  LoopbackServer& operator=(const LoopbackServer&) = delete;

  std::string address() const;  ///< "http://127.0.0.1:40123/TOKEN/"

  /// Waits for one request, for so long at most, and answers it by what `handler` returns for its path after the token:
  /// "" or "state". Requests without the token, for another host, or other than GET are refused. Whether one was
  /// answered.
  bool serve(int milliseconds, const std::function<HttpAnswer(std::string_view path)>& handler);

 private:
  HttpAnswer answer_to(const std::string& request, const std::function<HttpAnswer(std::string_view)>& handler,
                       bool& known) const;

  int socket_ = -1;
  std::uint16_t port_ = 0;
  std::string token_;
};

}  // namespace sgmcmc
