// One source per packed format, around zlib, libzstd and liblzma.
#include "data/text/unpack.hpp"

#include <sgmcmc/error.hpp>

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <limits>
#include <new>
#include <vector>

namespace sgmcmc {

namespace {

constexpr std::string_view gzip_magic("\x1f\x8b", 2);
constexpr std::string_view zstd_magic("\x28\xb5\x2f\xfd", 4);
constexpr std::string_view xz_magic(
    "\xfd"
    "7zXZ\0",
    6);
constexpr std::size_t packed_bytes = std::size_t{64} << 10;

/// The common base of the three: a buffer of compressed bytes.
class UnpackingSource : public ByteSource {
 public:
  UnpackingSource(const std::string& name, std::unique_ptr<ByteSource> packed, std::string_view first_bytes,
                  std::string format)
      : name_(name), format_(std::move(format)), packed_(std::move(packed)), buffer_(packed_bytes) {
    held_ = static_cast<std::size_t>(std::ranges::copy(first_bytes, buffer_.begin()).out - buffer_.begin());
  }

 protected:
  /// Compressed bytes not yet used; none only at the end.
  std::span<char> packed_bytes_left() {
    if (begin_ == held_) {
      begin_ = 0;
      held_ = packed_->read(buffer_);
    }
    return std::span(buffer_).subspan(begin_, held_ - begin_);
  }
  void use(std::size_t count) { begin_ += count; }

  [[noreturn]] void refuse_cut() const {
    throw DataError(name_ + ": the " + format_ + " data end in the middle. Copy or download the file again");
  }
  [[noreturn]] void refuse_damaged(const std::string& reason) const {
    throw DataError(name_ + ": the " + format_ + " data are damaged (" + reason + "). Copy or download the file again");
  }

 private:
  std::string name_;
  std::string format_;
  std::unique_ptr<ByteSource> packed_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, held_ = 0;
};

class GzipSource final : public UnpackingSource {
 public:
  GzipSource(const std::string& name, std::unique_ptr<ByteSource> packed, std::string_view first_bytes)
      : UnpackingSource(name, std::move(packed), first_bytes, "gzip") {
    if (inflateInit2(&stream_, 15 + 16) != Z_OK) throw std::bad_alloc();
  }
  ~GzipSource() override { inflateEnd(&stream_); }

  std::size_t read(std::span<char> target) override {
    constexpr std::size_t most = std::numeric_limits<uInt>::max();
    stream_.next_out = reinterpret_cast<Bytef*>(target.data());
    stream_.avail_out = static_cast<uInt>(std::min(target.size(), most));
    const uInt asked = stream_.avail_out;
    while (stream_.avail_out == asked) {
      const std::span<char> left = packed_bytes_left();
      if (left.empty()) {
        if (!is_between_) refuse_cut();
        break;
      }
      if (is_between_ && inflateReset(&stream_) != Z_OK) refuse_damaged("no stream");
      is_between_ = false;
      stream_.next_in = reinterpret_cast<Bytef*>(left.data());
      stream_.avail_in = static_cast<uInt>(left.size());
      const int status = inflate(&stream_, Z_NO_FLUSH);
      use(left.size() - stream_.avail_in);
      if (status == Z_STREAM_END) {
        is_between_ = true;  // another member may follow
      } else if (status != Z_OK && status != Z_BUF_ERROR) {
        refuse_damaged(stream_.msg != nullptr ? stream_.msg : "unreadable");
      }
    }
    return asked - stream_.avail_out;
  }

 private:
  z_stream stream_{};
  bool is_between_ = false;
};

class ZstdSource final : public UnpackingSource {
 public:
  ZstdSource(const std::string& name, std::unique_ptr<ByteSource> packed, std::string_view first_bytes)
      : UnpackingSource(name, std::move(packed), first_bytes, "zstd"), stream_(ZSTD_createDStream()) {
    if (stream_ == nullptr) throw std::bad_alloc();
  }
  ~ZstdSource() override { ZSTD_freeDStream(stream_); }

  std::size_t read(std::span<char> target) override {
    ZSTD_outBuffer out{target.data(), target.size(), 0};
    while (out.pos == 0 && out.size > 0) {
      const std::span<char> left = packed_bytes_left();
      if (left.empty() && is_between_) break;
      ZSTD_inBuffer in{left.data(), left.size(), 0};
      const std::size_t status = ZSTD_decompressStream(stream_, &out, &in);
      use(in.pos);
      if (ZSTD_isError(status)) refuse_damaged(ZSTD_getErrorName(status));
      is_between_ = status == 0;
      if (left.empty() && out.pos == 0 && !is_between_) refuse_cut();
    }
    return out.pos;
  }

 private:
  ZSTD_DStream* stream_;
  bool is_between_ = false;
};

class XzSource final : public UnpackingSource {
 public:
  XzSource(const std::string& name, std::unique_ptr<ByteSource> packed, std::string_view first_bytes)
      : UnpackingSource(name, std::move(packed), first_bytes, "xz") {
    if (lzma_stream_decoder(&stream_, std::numeric_limits<std::uint64_t>::max(), LZMA_CONCATENATED) != LZMA_OK) {
      throw std::bad_alloc();
    }
  }
  ~XzSource() override { lzma_end(&stream_); }

  std::size_t read(std::span<char> target) override {
    if (is_finished_) return 0;
    stream_.next_out = reinterpret_cast<std::uint8_t*>(target.data());
    stream_.avail_out = target.size();
    while (stream_.avail_out == target.size() && !target.empty()) {
      const std::span<char> left = packed_bytes_left();
      stream_.next_in = reinterpret_cast<const std::uint8_t*>(left.data());
      stream_.avail_in = left.size();
      const lzma_ret status = lzma_code(&stream_, left.empty() ? LZMA_FINISH : LZMA_RUN);
      use(left.size() - stream_.avail_in);
      if (status == LZMA_STREAM_END) {
        is_finished_ = true;
        break;
      }
      if (status == LZMA_BUF_ERROR) refuse_cut();
      if (status == LZMA_MEM_ERROR) throw std::bad_alloc();
      if (status != LZMA_OK) refuse_damaged(status == LZMA_DATA_ERROR ? "wrong checksum or content" : "unreadable");
    }
    return target.size() - stream_.avail_out;
  }

 private:
  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool is_finished_ = false;
};

}  // namespace

bool is_packed(std::string_view first_bytes) {
  return first_bytes.starts_with(gzip_magic) || first_bytes.starts_with(zstd_magic) ||
         first_bytes.starts_with(xz_magic);
}

std::unique_ptr<ByteSource> unpacked(const std::string& name, std::unique_ptr<ByteSource> packed,
                                     std::string_view first_bytes) {
  if (first_bytes.starts_with(gzip_magic)) return std::make_unique<GzipSource>(name, std::move(packed), first_bytes);
  if (first_bytes.starts_with(zstd_magic)) return std::make_unique<ZstdSource>(name, std::move(packed), first_bytes);
  return std::make_unique<XzSource>(name, std::move(packed), first_bytes);
}

}  // namespace sgmcmc
