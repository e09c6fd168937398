// Escapes control characters in strings and streams.
#include "cli/printable.hpp"

#include <array>
#include <iostream>
#include <ostream>
#include <streambuf>

namespace sgmcmc::cli {
namespace {

constexpr unsigned char first_of_two = 0xc2;  // first byte of U+0080 to U+009F, which some terminals obey

bool is_control(unsigned char c) { return (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f; }

std::string written_out(unsigned char c) {
  constexpr std::string_view digits = "0123456789abcdef";
  return {'\\', 'x', digits[c / 16], digits[c % 16]};
}

/// A stream buffer that filters what it passes on to another.
class PrintableBuffer final : public std::streambuf {
 public:
  explicit PrintableBuffer(std::streambuf* to) : to_(to) {}
  std::streambuf* behind() const { return to_; }

 protected:
  int_type overflow(int_type c) override {
    if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
    const char one = traits_type::to_char_type(c);
    return xsputn(&one, 1) == 1 ? c : traits_type::eof();
  }

  std::streamsize xsputn(const char* text, std::streamsize count) override {
    std::streamsize plain = 0;  // start of the bytes to pass on unchanged
    for (std::streamsize i = 0; i < count; ++i) {
      const auto c = static_cast<unsigned char>(text[i]);
      if (waiting_) {  // the previous byte was first_of_two: decide by this byte whether to escape both
        waiting_ = false;
        const bool control = c >= 0x80 && c < 0xa0;
        if (!put(control ? written_out(c) : std::string(1, static_cast<char>(first_of_two)))) return i;
        plain = control ? i + 1 : i;
        if (control) continue;
      }
      if (c != first_of_two && !is_control(c)) continue;
      if (!put({text + plain, static_cast<std::size_t>(i - plain)})) return plain;
      plain = i + 1;
      waiting_ = c == first_of_two;
      if (!waiting_ && !put(written_out(c))) return i;
    }
    return put({text + plain, static_cast<std::size_t>(count - plain)}) ? count : plain;
  }

  int sync() override { return to_->pubsync(); }

 private:
  bool put(std::string_view text) {
    const auto size = static_cast<std::streamsize>(text.size());
    return to_->sputn(text.data(), size) == size;
  }

  std::streambuf* to_;
  bool waiting_ = false;
};

}  // namespace

std::string printable(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0;
    if (c == first_of_two && next >= 0x80 && next < 0xa0)
      result += written_out(static_cast<unsigned char>(text[++i]));
    else if (is_control(c))
      result += written_out(c);
    else
      result += text[i];
  }
  return result;
}

struct PrintableOutput::Parts {
  PrintableBuffer out{std::cout.rdbuf()}, errors{std::cerr.rdbuf()};
};

PrintableOutput::PrintableOutput() : parts_(std::make_unique<Parts>()) {
  std::cout.rdbuf(&parts_->out);
  std::cerr.rdbuf(&parts_->errors);
}

PrintableOutput::~PrintableOutput() {
  leave_stdout();
  std::cerr.rdbuf(parts_->errors.behind());
}

void PrintableOutput::leave_stdout() { std::cout.rdbuf(parts_->out.behind()); }

std::ostream& terminal_stream() {
  static std::ostream stream([] {
    auto* filtered = dynamic_cast<PrintableBuffer*>(std::cerr.rdbuf());
    return filtered ? filtered->behind() : std::cerr.rdbuf();
  }());
  return stream;
}

}  // namespace sgmcmc::cli
