// Lays out panels, axes with round ticks, a legend and the series, as SVG text.
#include <sgmcmc/figure.hpp>

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <numbers>
#include <sstream>

namespace sgmcmc::figure {
namespace {

constexpr double panel_width = 360;
constexpr double panel_height = 270;
constexpr double left = 66;
constexpr double right = 14;
constexpr double top = 30;
constexpr double bottom = 46;
constexpr double legend_row = 20;

// Distinguishable by colour-blind readers (Okabe and Ito).
constexpr std::array colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#8c8c00"};

std::string escaped(const std::string& text) {
  std::string result;
  for (const char letter : text) {
    switch (letter) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      default: result += letter;
    }
  }
  return result;
}

std::string number(double value) {
  std::ostringstream text;
  text.precision(4);
  text << value;
  return text.str();
}

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void include(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

/// Maps values to pixels, and places ticks.
class Ruler {
 public:
  Ruler(Scale scale, Range range, double from, double to) : scale_(scale), from_(from), to_(to) {
    low_ = transformed(range.low);
    high_ = transformed(range.high);
    if (!(low_ <= high_)) {
      low_ = 0;
      high_ = 1;
    }
    if (high_ - low_ < 1e-12 * std::max(1.0, std::abs(high_))) {
      low_ -= 0.5;
      high_ += 0.5;
    }
    const double margin = 0.04 * (high_ - low_);
    low_ -= margin;
    high_ += margin;
  }

  bool shows(double value) const { return std::isfinite(transformed(value)); }
  double pixel(double value) const { return from_ + (to_ - from_) * (transformed(value) - low_) / (high_ - low_); }

  std::vector<double> ticks() const {
    std::vector<double> result;
    if (scale_ == Scale::logarithmic && high_ - low_ >= 1) {
      const double step = std::max(1.0, std::ceil((high_ - low_) / 6));
      for (double power = std::ceil(low_); power <= high_; power += step) {
        result.push_back(std::pow(10.0, power));
      }
      return result;
    }
    const double rough = (high_ - low_) / 5;
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    const double step = power * (rough < 1.5 * power ? 1 : rough < 3.5 * power ? 2 : rough < 7.5 * power ? 5 : 10);
    for (double at = std::ceil(low_ / step) * step; at <= high_ + 1e-9 * step; at += step) {
      const double value = std::abs(at) < 1e-9 * step ? 0 : at;
      result.push_back(scale_ == Scale::logarithmic ? std::pow(10.0, value) : value);
    }
    return result;
  }

 private:
  double transformed(double value) const { return scale_ == Scale::logarithmic ? std::log10(value) : value; }

  Scale scale_;
  double from_;
  double to_;
  double low_ = 0;
  double high_ = 1;
};

double quantile(const std::vector<double>& sorted, double probability) {
  const double at = probability * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

std::size_t place_of(std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) {
    return static_cast<std::size_t>(found - names.begin());
  }
  names.push_back(name);
  return names.size() - 1;
}

}  // namespace

Panel::Panel(std::string title, Axis x, Axis y) : title_(std::move(title)), x_(std::move(x)), y_(std::move(y)) {}

Panel& Panel::line(std::string name, std::vector<Point> points) {
  series_.push_back({Kind::line, std::move(name), std::move(points), {}, {}});
  return *this;
}

Panel& Panel::points(std::string name, std::vector<Point> points) {
  series_.push_back({Kind::points, std::move(name), std::move(points), {}, {}});
  return *this;
}

Panel& Panel::ellipse(std::string name, Point mean, std::array<double, 3> covariance, double radius) {
  // The image of a circle under the Cholesky factor.
  const double a = std::sqrt(covariance[0]);
  const double b = covariance[1] / a;
  const double c = std::sqrt(std::max(0.0, covariance[2] - b * b));
  std::vector<Point> outline;
  constexpr int corners = 90;
  for (int corner = 0; corner <= corners; ++corner) {
    const double angle = 2 * std::numbers::pi * corner / corners;
    const double u = radius * std::cos(angle);
    const double v = radius * std::sin(angle);
    outline.push_back({mean.x + a * u, mean.y + b * u + c * v});
  }
  return line(std::move(name), std::move(outline));
}

Panel& Panel::box(std::string name, std::string category, std::vector<double> values) {
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  std::sort(values.begin(), values.end());
  series_.push_back({Kind::box, std::move(name), {}, std::move(category), std::move(values)});
  return *this;
}

Panel& Panel::reference(std::string name, double y) {
  series_.push_back({Kind::reference, std::move(name), {{0, y}}, {}, {}});
  return *this;
}

class Drawing {
 public:
  explicit Drawing(const std::vector<Panel>& panels) {
    for (const Panel& panel : panels) {
      for (const Panel::Series& series : panel.series_) {
        place_of(names_, series.name);
      }
    }
  }

  std::string draw(const std::vector<Panel>& panels, std::size_t columns) {
    const double width = panel_width * static_cast<double>(columns);
    const double legend = draw_legend(width);
    const double rows = static_cast<double>((panels.size() + columns - 1) / columns);
    for (std::size_t index = 0; index < panels.size(); ++index) {
      draw_panel(panels[index], panel_width * static_cast<double>(index % columns),
                 legend + panel_height * static_cast<double>(index / columns));
    }
    const double height = legend + panel_height * rows;
    std::ostringstream whole;
    whole << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " << width << ' ' << height << "\" width=\""
          << width << "\" height=\"" << height << "\" font-family=\"sans-serif\" font-size=\"11\">\n"
          << "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
          << out_.str() << "</svg>\n";
    return whole.str();
  }

 private:
  const char* colour(const std::string& name) { return colours[place_of(names_, name) % colours.size()]; }

  double draw_legend(double width) {
    double x = 12;
    double y = legend_row;
    for (const std::string& name : names_) {
      const auto wide =
          std::count_if(name.begin(), name.end(), [](char letter) { return letter >= 'A' && letter <= 'Z'; });
      const double length = 30 + 6.6 * static_cast<double>(name.size()) + 2.2 * static_cast<double>(wide);
      if (x + length > width && x > 12) {
        x = 12;
        y += legend_row;
      }
      out_ << "<rect x=\"" << x << "\" y=\"" << y - 8 << "\" width=\"14\" height=\"8\" fill=\"" << colour(name)
           << "\"/>"
           << "<text x=\"" << x + 19 << "\" y=\"" << y << "\">" << escaped(name) << "</text>\n";
      x += length;
    }
    return y + 8;
  }

  void draw_panel(const Panel& panel, double x, double y) {
    std::vector<std::string> categories;
    std::vector<std::vector<std::string>> boxed;  // names, by category
    std::size_t most_boxes = 1;                   // in a category
    Range across;
    Range up;
    for (const Panel::Series& series : panel.series_) {
      if (series.kind == Panel::Kind::box) {
        const std::size_t category = place_of(categories, series.category);
        boxed.resize(categories.size());
        place_of(boxed[category], series.name);
        most_boxes = std::max(most_boxes, boxed[category].size());
      }
      for (const double value : series.values) {
        up.include(value);
      }
      for (const Point& point : series.points) {
        if (shown(panel, series, point)) {
          up.include(point.y);
          if (series.kind != Panel::Kind::reference) {
            across.include(point.x);
          }
        }
      }
    }
    if (!categories.empty()) {
      across = {-0.5, static_cast<double>(categories.size()) - 0.5};
    }
    const Ruler horizontal(panel.x_.scale, across, x + left, x + panel_width - right);
    const Ruler vertical(panel.y_.scale, up, y + panel_height - bottom, y + top);
    draw_frame(panel, x, y, horizontal, vertical, categories);
    for (const Panel::Series& series : panel.series_) {
      switch (series.kind) {
        case Panel::Kind::line: draw_line(panel, series, horizontal, vertical); break;
        case Panel::Kind::points: draw_points(panel, series, horizontal, vertical); break;
        case Panel::Kind::reference:
          out_ << "<path d=\"M" << x + left << ' ' << vertical.pixel(series.points[0].y) << 'H'
               << x + panel_width - right << "\" stroke=\"" << colour(series.name) << "\" stroke-dasharray=\"5 4\"/>\n";
          break;
        case Panel::Kind::box: {
          const std::size_t category = place_of(categories, series.category);
          const double slot = 0.8 / static_cast<double>(most_boxes);
          const double place = static_cast<double>(place_of(boxed[category], series.name));
          const double middle =
              static_cast<double>(category) + slot * (place + 0.5 - 0.5 * static_cast<double>(boxed[category].size()));
          draw_box(series, horizontal.pixel(middle - 0.4 * slot), horizontal.pixel(middle + 0.4 * slot), vertical);
        }
      }
    }
  }

  static bool shown(const Panel& panel, const Panel::Series& series, const Point& point) {
    const auto fits = [](const Axis& axis, double value) {
      return std::isfinite(value) && (axis.scale == Scale::linear || value > 0);
    };
    return fits(panel.y_, point.y) && (series.kind == Panel::Kind::reference || fits(panel.x_, point.x));
  }

  void draw_frame(const Panel& panel, double x, double y, const Ruler& horizontal, const Ruler& vertical,
                  const std::vector<std::string>& categories) {
    const double floor = y + panel_height - bottom;
    const double ceiling = y + top;
    const double middle = x + (left + panel_width - right) / 2;
    const auto label_below = [&](double at, const std::string& text) {
      out_ << "<text x=\"" << at << "\" y=\"" << floor + 15 << "\" text-anchor=\"middle\" fill=\"#444\">"
           << escaped(text) << "</text>\n";
    };
    for (const double tick : vertical.ticks()) {
      const double at = vertical.pixel(tick);
      out_ << "<path d=\"M" << x + left << ' ' << at << 'H' << x + panel_width - right << "\" stroke=\"#e4e4e4\"/>"
           << "<text x=\"" << x + left - 5 << "\" y=\"" << at + 4 << "\" text-anchor=\"end\" fill=\"#444\">"
           << number(tick) << "</text>\n";
    }
    if (categories.empty()) {
      for (const double tick : horizontal.ticks()) {
        const double at = horizontal.pixel(tick);
        out_ << "<path d=\"M" << at << ' ' << ceiling << 'V' << floor << "\" stroke=\"#e4e4e4\"/>";
        label_below(at, number(tick));
      }
    }
    for (std::size_t index = 0; index < categories.size(); ++index) {
      label_below(horizontal.pixel(static_cast<double>(index)), categories[index]);
    }
    out_ << "<rect x=\"" << x + left << "\" y=\"" << ceiling << "\" width=\"" << panel_width - left - right
         << "\" height=\"" << floor - ceiling << "\" fill=\"none\" stroke=\"#666\"/>\n"
         << "<text x=\"" << middle << "\" y=\"" << y + 20 << "\" text-anchor=\"middle\" font-size=\"12\">"
         << escaped(panel.title_) << "</text>\n"
         << "<text x=\"" << middle << "\" y=\"" << floor + 34 << "\" text-anchor=\"middle\">" << escaped(panel.x_.label)
         << "</text>\n"
         << "<text transform=\"translate(" << x + 14 << ' ' << (floor + ceiling) / 2
         << ") rotate(-90)\" text-anchor=\"middle\">" << escaped(panel.y_.label) << "</text>\n";
  }

  void draw_line(const Panel& panel, const Panel::Series& series, const Ruler& horizontal, const Ruler& vertical) {
    out_ << "<path fill=\"none\" stroke-width=\"1.6\" stroke=\"" << colour(series.name) << "\" d=\"";
    bool pen_down = false;
    for (const Point& point : series.points) {
      if (!shown(panel, series, point)) {
        pen_down = false;
        continue;
      }
      out_ << (pen_down ? 'L' : 'M') << number(horizontal.pixel(point.x)) << ' ' << number(vertical.pixel(point.y));
      pen_down = true;
    }
    out_ << "\"/>\n";
  }

  void draw_points(const Panel& panel, const Panel::Series& series, const Ruler& horizontal, const Ruler& vertical) {
    const double radius = series.points.size() > 200 ? 1.2 : 3;
    out_ << "<g fill=\"" << colour(series.name) << "\" fill-opacity=\"" << (radius < 2 ? 0.45 : 0.9) << "\">\n";
    for (const Point& point : series.points) {
      if (shown(panel, series, point)) {
        out_ << "<circle cx=\"" << number(horizontal.pixel(point.x)) << "\" cy=\"" << number(vertical.pixel(point.y))
             << "\" r=\"" << radius << "\"/>\n";
      }
    }
    out_ << "</g>\n";
  }

  void draw_box(const Panel::Series& series, double from, double to, const Ruler& vertical) {
    std::vector<double> values;
    std::copy_if(series.values.begin(), series.values.end(), std::back_inserter(values),
                 [&](double value) { return vertical.shows(value); });
    if (values.empty()) {
      return;
    }
    const double low = quantile(values, 0.25);
    const double high = quantile(values, 0.75);
    const double reach = 1.5 * (high - low);
    const double lowest =
        *std::find_if(values.begin(), values.end(), [&](double value) { return value >= low - reach; });
    const double highest =
        *std::find_if(values.rbegin(), values.rend(), [&](double value) { return value <= high + reach; });
    const double middle = (from + to) / 2;
    out_ << "<g stroke=\"" << colour(series.name) << "\" fill=\"" << colour(series.name) << "\">"
         << "<rect x=\"" << from << "\" y=\"" << vertical.pixel(high) << "\" width=\"" << to - from << "\" height=\""
         << vertical.pixel(low) - vertical.pixel(high) << "\" fill-opacity=\"0.25\"/>"
         << "<path stroke-width=\"2\" d=\"M" << from << ' ' << vertical.pixel(quantile(values, 0.5)) << 'H' << to
         << "\"/>"
         << "<path d=\"M" << middle << ' ' << vertical.pixel(high) << 'V' << vertical.pixel(highest) << 'M' << middle
         << ' ' << vertical.pixel(low) << 'V' << vertical.pixel(lowest) << "\"/>";
    for (const double value : values) {
      if (value < lowest || value > highest) {
        out_ << "<circle cx=\"" << middle << "\" cy=\"" << vertical.pixel(value) << "\" r=\"1.8\"/>";
      }
    }
    out_ << "</g>\n";
  }

  std::vector<std::string> names_;
  std::ostringstream out_;
};

void write_svg(const std::filesystem::path& file, const std::vector<Panel>& panels, std::size_t columns) {
  std::ofstream out(file);
  out << Drawing(panels).draw(panels, std::max<std::size_t>(1, columns));
  if (!out.flush()) {
    throw FileError(file.string() + ": the figure cannot be written");
  }
}

}  // namespace sgmcmc::figure
