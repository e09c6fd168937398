// Where figures draw box plots.
#include <sgmcmc/figure.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

namespace sgmcmc {
namespace {

std::string svg_of(const figure::Panel& panel) {
  const auto file = std::filesystem::temp_directory_path() / "sgmcmc_figure_test.svg";
  figure::write_svg(file, {panel}, 1);
  std::ifstream in(file);
  std::string text((std::istreambuf_iterator<char>(in)), {});
  std::filesystem::remove(file);
  return text;
}

/// The middles of the boxes, in pixels.
std::vector<double> boxes_in(const std::string& svg) {
  const std::regex box("<g stroke=[^>]*><rect x=\"([0-9.]+)\" y=\"[0-9.]+\" width=\"([0-9.]+)\"");
  std::vector<double> middles;
  for (std::sregex_iterator found(svg.begin(), svg.end(), box), end; found != end; ++found)
    middles.push_back(std::atof((*found)[1].str().c_str()) + std::atof((*found)[2].str().c_str()) / 2);
  return middles;
}

double label_in(const std::string& svg, const std::string& label) {
  const std::regex text("<text x=\"([0-9.]+)\"[^>]*>" + label + "</text>");
  std::smatch found;
  return std::regex_search(svg, found, text) ? std::atof(found[1].str().c_str()) : -1;
}

TEST(Figure, BoxesOfOneSeriesPerCategory_AreCentredOnTheirLabels) {
  figure::Panel panel("", {""}, {""});
  panel.box("a", "first", {1, 2, 3}).box("b", "second", {2, 3, 4}).box("c", "third", {1, 4, 5});
  const auto svg = svg_of(panel);
  const auto middles = boxes_in(svg);
  ASSERT_EQ(middles.size(), 3U);
  EXPECT_NEAR(middles[0], label_in(svg, "first"), 0.01);
  EXPECT_NEAR(middles[1], label_in(svg, "second"), 0.01);
  EXPECT_NEAR(middles[2], label_in(svg, "third"), 0.01);
}

TEST(Figure, BoxesOfTwoSeriesPerCategory_AreSideBySideAroundTheLabel) {
  figure::Panel panel("", {""}, {""});
  for (const char* category : {"first", "second"}) panel.box("a", category, {1, 2, 3}).box("b", category, {2, 3, 4});
  const auto svg = svg_of(panel);
  const auto middles = boxes_in(svg);
  ASSERT_EQ(middles.size(), 4U);
  EXPECT_LT(middles[0] + 10, middles[1]);
  EXPECT_NEAR((middles[0] + middles[1]) / 2, label_in(svg, "first"), 0.01);
  EXPECT_NEAR((middles[2] + middles[3]) / 2, label_in(svg, "second"), 0.01);
}

}  // namespace
}  // namespace sgmcmc
