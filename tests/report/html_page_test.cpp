// Hostile texts in pages, compact numbers, and the page as a whole.
#include "report/html_page.hpp"

#include "report/page_assets.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace sgmcmc {
namespace {

using Json = nlohmann::ordered_json;

TEST(Base64, RoundTrip_GivesTheBytesBack) {
  for (std::size_t size = 0; size < 9; ++size) {
    std::vector<std::uint8_t> bytes;
    for (std::size_t k = 0; k < size; ++k) bytes.push_back(static_cast<std::uint8_t>(251 * k + 250));
    EXPECT_EQ(bytes_in(base64(bytes)), bytes);
  }
}

TEST(HtmlText, Tags_AreEscaped) {
  EXPECT_EQ(html_text("<script>alert('x')</script> & \"y\""),
            "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; &amp; &quot;y&quot;");
}

TEST(HtmlText, BytesThatAreNotUtf8_AreReplaced) {
  EXPECT_EQ(html_text("a\xffz"), "a\xef\xbf\xbdz");
  EXPECT_EQ(html_text(std::string("a\0z", 3)), "a z");
}

TEST(JsonForScript, HostileNames_CannotEndTheScript) {
  const Json data = {{"name", "</script><!--\xe2\x80\xa8\xe2\x80\xa9&"}};
  EXPECT_EQ(json_for_script(data), "{\"name\":\"\\u003c/script\\u003e\\u003c!--\\u2028\\u2029\\u0026\"}");
  EXPECT_EQ(Json::parse(json_for_script(data)), data);
}

TEST(JsonForScript, NonFiniteNumbers_AreNull) {
  const Json data = {std::nan(""), std::numeric_limits<double>::infinity(), rounded(std::nan("")), rounded(1.5)};
  EXPECT_EQ(json_for_script(data), "[null,null,null,1.5]");
}

TEST(JsonForScript, BytesThatAreNotUtf8_AreReplaced) { EXPECT_EQ(json_for_script("a\xffz"), "\"a\\ufffdz\""); }

TEST(Rounded, Numbers_HaveFewDigits) {
  EXPECT_EQ(rounded(1.0 / 3, 4).dump(), "0.3333");
  EXPECT_EQ(rounded(1234567.0, 3).dump(), "1230000");
  EXPECT_EQ(rounded(-1.0, 3).dump(), "-1");
  EXPECT_EQ(rounded(std::numeric_limits<double>::max(), 3).get<double>(), std::numeric_limits<double>::max());
}

TEST(Base64, KnownTexts_AreEncoded) {
  const auto encoded = [](std::string_view text) {
    return base64({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  };
  EXPECT_EQ(encoded(""), "");
  EXPECT_EQ(encoded("f"), "Zg==");
  EXPECT_EQ(encoded("fo"), "Zm8=");
  EXPECT_EQ(encoded("foo"), "Zm9v");
  EXPECT_EQ(encoded("foob\xff"), "Zm9vYv8=");
}

TEST(HtmlPage, HostileHeading_HasOneScriptAndOneBlockOfData) {
  const PageHeading heading{"<script>x</script>", "</title>", "do not trust", "<b>", {"`</p><script>` is `off"}};
  const std::string page = html_page(heading, {{"a", "</script><script>alert(1)</script>"}});
  std::size_t scripts = 0;
  for (std::size_t at = page.find("<script"); at != std::string::npos; at = page.find("<script", at + 1)) ++scripts;
  EXPECT_EQ(scripts, 2u);
  EXPECT_NE(page.find("<code>&lt;/p&gt;&lt;script&gt;</code> is `off</p>"), std::string::npos);
  EXPECT_EQ(page.find("<b>"), std::string::npos);
}

TEST(HtmlPage, Policy_AllowsTheScriptOfThePageOnly) {
  const std::string page = html_page({"t", "", "", "h", {}}, {});
  EXPECT_NE(page.find("default-src 'none'; script-src 'sha256-"), std::string::npos);
  EXPECT_EQ(page.find("connect-src"), std::string::npos);
  EXPECT_NE(html_page({"t", "", "", "h", {}}, {}, true).find("connect-src 'self'"), std::string::npos);
  EXPECT_EQ(page.find("http://"), page.find("http://www.w3.org/2000/svg")) << "nothing is fetched";
  EXPECT_EQ(page.find("https://"), std::string::npos);
}

TEST(PageAssets, Texts_AreAsciiAndWithoutTheEndOfAScript) {
  for (const auto text : {page_script(), page_style()}) {
    EXPECT_GT(text.size(), 1000u);
    EXPECT_EQ(text.find("</"), std::string::npos);
    for (const char c : text) ASSERT_LT(static_cast<unsigned char>(c), 0x80);
  }
  EXPECT_EQ(page_script().find("innerHTML"), std::string::npos) << "names are set as text";
}

}  // namespace
}  // namespace sgmcmc
