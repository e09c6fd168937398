// Sockets, and the part of HTTP that a report page needs.
#include "service/page/loopback_server.hpp"

#include "base/text.hpp"

#include <sgmcmc/error.hpp>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <random>
#include <system_error>

namespace sgmcmc {
namespace {

constexpr std::size_t longest_request = 16'384;
constexpr int patience = 2;  // seconds for one request

std::string random_token() {
  std::random_device device;
  std::string token;
  for (int k = 0; k < 4; ++k) token += formatted("%08x", device());
  return token;
}

/// Compares in constant time, so that timing does not reveal how many letters of a guess are right.
bool same_token(std::string_view a, std::string_view b) {
  unsigned char different = a.size() != b.size();
  for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k)
    different = static_cast<unsigned char>(different | (a[k] ^ b[k]));
  return different == 0;
}

/// The head of a request; empty if it does not arrive completely.
std::string read_head(int connection) {
  std::string head;
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(patience);
  while (head.find("\r\n\r\n") == std::string::npos && head.size() < longest_request) {
    char buffer[2048];
    const ssize_t got = ::recv(connection, buffer, sizeof buffer, 0);
    if (got <= 0 || std::chrono::steady_clock::now() > until) return "";
    head.append(buffer, static_cast<std::size_t>(got));
  }
  return head.find("\r\n\r\n") == std::string::npos ? "" : head;
}

std::string header_in(const std::string& head, std::string_view name) {
  for (std::size_t at = head.find("\r\n"); at != std::string::npos && at + 2 < head.size();
       at = head.find("\r\n", at + 2)) {
    const std::size_t end = head.find("\r\n", at + 2), colon = head.find(':', at + 2);
    if (end == std::string::npos || colon == std::string::npos || colon > end) continue;
    std::string key = head.substr(at + 2, colon - at - 2);
    std::transform(key.begin(), key.end(), key.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (key != name) continue;
    std::string value = head.substr(colon + 1, end - colon - 1);
    value.erase(0, value.find_first_not_of(" \t"));
    value.erase(value.find_last_not_of(" \t") + 1);
    return value;
  }
  return "";
}

std::string_view reason_of(int status) {
  switch (status) {
    case 200: return "OK";
    case 400: return "Bad Request";
    case 403: return "Forbidden";
    case 405: return "Method Not Allowed";
    case 503: return "Service Unavailable";
    default: return "Not Found";
  }
}

void send_answer(int connection, const HttpAnswer& answer) {
  std::string text =
      "HTTP/1.1 " + std::to_string(answer.status) + " " + std::string(reason_of(answer.status)) +
      "\r\nContent-Type: " + answer.type + "\r\nContent-Length: " + std::to_string(answer.body.size()) +
      "\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"
      "Cross-Origin-Resource-Policy: same-origin\r\nX-Frame-Options: DENY\r\nConnection: close\r\n\r\n" +
      answer.body;
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t now = ::send(connection, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (now <= 0) return;  // the browser has disconnected or is too slow
    sent += static_cast<std::size_t>(now);
  }
}

}  // namespace

LoopbackServer::LoopbackServer(std::uint16_t port) : token_(random_token()) {
  socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in here{};
  here.sin_family = AF_INET;
  here.sin_port = htons(port);
  here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int again = 1;
  if (socket_ >= 0) ::setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &again, sizeof again);
  socklen_t size = sizeof here;
  if (socket_ < 0 || ::bind(socket_, reinterpret_cast<sockaddr*>(&here), sizeof here) != 0 ||
      ::listen(socket_, 16) != 0 || ::getsockname(socket_, reinterpret_cast<sockaddr*>(&here), &size) != 0) {
    const std::string why = std::generic_category().message(errno);
    if (socket_ >= 0) ::close(socket_);
    throw FileError("cannot listen on port " + std::to_string(port) + " of 127.0.0.1: " + why);
  }
  port_ = ntohs(here.sin_port);
}

LoopbackServer::~LoopbackServer() { ::close(socket_); }

std::string LoopbackServer::address() const { return "http://127.0.0.1:" + std::to_string(port_) + "/" + token_ + "/"; }

HttpAnswer LoopbackServer::answer_to(const std::string& head,
                                     const std::function<HttpAnswer(std::string_view)>& handler, bool& known) const {
  const auto refused = [](int status) {
    return HttpAnswer{status, "text/plain", std::string(reason_of(status)) + "\n"};
  };
  const std::size_t first = head.find(' '), second = head.find(' ', first + 1), end = head.find("\r\n");
  if (first == std::string::npos || second == std::string::npos || second > end) return refused(400);
  const std::string host = header_in(head, "host"), port = ":" + std::to_string(port_);
  if (host != "127.0.0.1" + port && host != "localhost" + port)
    return refused(403);  // another host name resolves to this address: DNS rebinding
  const std::string path = head.substr(first + 1, second - first - 1);
  const std::size_t slash = path.find('/', 1);
  if (path.empty() || path[0] != '/' || slash == std::string::npos || !same_token(path.substr(1, slash - 1), token_))
    return refused(403);
  if (head.substr(0, first) != "GET") return refused(405);
  known = true;
  return handler(std::string_view(path).substr(slash + 1));
}

bool LoopbackServer::serve(int milliseconds, const std::function<HttpAnswer(std::string_view)>& handler) {
  pollfd waiting{socket_, POLLIN, 0};
  if (::poll(&waiting, 1, milliseconds) <= 0) return false;
  const int connection = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
  if (connection < 0) return false;
  const timeval wait{patience, 0};
  ::setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
  ::setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait);
  bool known = false;
  if (const std::string head = read_head(connection); !head.empty())
    send_answer(connection, answer_to(head, handler, known));
  ::close(connection);
  return known;
}

}  // namespace sgmcmc
