// Figures: panels of lines, points, ellipses and box plots, written as one SVG file.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

namespace sgmcmc::figure {

struct Point {
  double x = 0;
  double y = 0;
};

enum class Scale { linear, logarithmic };

struct Axis {
  std::string label;
  Scale scale = Scale::linear;
};

/// One pair of axes. A series of the same name has the same colour in every panel of a figure, and one entry in its
/// legend. Omits points that are not finite (or not positive on a logarithmic axis).
class Panel {
 public:
  Panel(std::string title, Axis x, Axis y);

  Panel& line(std::string name, std::vector<Point> points);
  Panel& points(std::string name, std::vector<Point> points);
  /// The contour of a bivariate normal of this mean and covariance (xx, xy, yy) at `radius` standard deviations.
  Panel& ellipse(std::string name, Point mean, std::array<double, 3> covariance, double radius = 2);
  /// A box plot over the category: quartiles, whiskers to the last value within 1.5 interquartile ranges, and outliers.
  /// Categories are in the order of their first use, with their series side by side.
  Panel& box(std::string name, std::string category, std::vector<double> values);
  /// A dashed line across the panel.
  Panel& reference(std::string name, double y);

 private:
  friend class Drawing;
  enum class Kind { line, points, box, reference };
  struct Series {
    Kind kind;
    std::string name;
    std::vector<Point> points;
    std::string category;
    std::vector<double> values;
  };
  std::string title_;
  Axis x_;
  Axis y_;
  std::vector<Series> series_;
};

/// Writes the panels row by row under one legend. Throws FileError if the file cannot be written.
void write_svg(const std::filesystem::path& file, const std::vector<Panel>& panels, std::size_t columns);

}  // namespace sgmcmc::figure
