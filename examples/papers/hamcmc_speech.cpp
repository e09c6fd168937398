// Quasi-Newton Langevin dynamics for speech in noise (Simsekli and others 2016, section 4.2, figure 3): two
// alpha-stable matrix factorisations, one of speech with columns learnt from other sentences and one of noise; hamcmc,
// psgld and sgld beside each other, by the signal-to-distortion ratio of the speech.
//
//     hamcmc_speech [SOUNDS] [--out FOLDER] [--quick]
//
// SOUNDS is the unpacked tar file of NOIZEUS. Without it voices are made up. The samplers are written out here: the
// library's factorisations have one source, and no variables besides the factors.
#include "arguments.hpp"
#include "cpu_time.hpp"
#include "in_parallel.hpp"
#include "page.hpp"
#include "speech_signals.hpp"
#include "stable_separation.hpp"

#include <sgmcmc/figure.hpp>
#include <sgmcmc/random.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <deque>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

using namespace sgmcmc;

namespace {

using Vector = std::vector<double>;

constexpr SourceShape noise_shape{5, 1.89};
constexpr std::size_t most_frames = 140;

struct Length {
  std::uint64_t iterations = 2500, averaged = 200, every = 5;  // every fifth of the last 200 draws is averaged
  std::size_t looks = 5;
};

double product(const Vector& a, const Vector& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

/// One method's steps, each by the gradient of a tenth of the entries.
class Sampler {
 public:
  Sampler(StableSeparation& target, std::string method, double step, std::uint64_t seed)
      : target_(target),
        method_(std::move(method)),
        step_(step),
        seed_(seed),
        chosen_(target.entries() / 10),
        gradient_(target.dimension()),
        noise_(target.dimension()),
        square_(target.dimension()) {
    past_.push_back(target_.start());
  }

  const Vector& theta() const { return past_.back(); }
  bool is_finite() const { return std::isfinite(std::accumulate(theta().begin(), theta().end(), 0.0)); }

  void step() {
    ++iteration_;
    fill_below({seed_, 0, iteration_, Purpose::minibatch}, static_cast<std::uint32_t>(target_.entries()), chosen_);
    target_.move_phi(theta(), chosen_, iteration_);
    fill_normal({seed_, 0, iteration_, Purpose::noise}, noise_);
    method_ == "hamcmc" ? quasi_newton() : langevin();
  }

 private:
  static constexpr std::size_t history = 5;  // M

  struct Pair {
    Vector s, y;
    double curvature;  // s'y; 0: not used
  };

  /// sgld, and psgld, where each coordinate has a step by the running mean square of its gradient for one entry.
  void langevin() {
    target_.gradient(theta(), chosen_, gradient_);
    Vector next = theta();
    const auto rows = static_cast<double>(target_.entries());
    for (std::size_t k = 0; k < next.size(); ++k) {
      double scale = 1;
      if (method_ == "psgld") {
        const double mean = gradient_[k] / rows;
        square_[k] = iteration_ == 1 ? mean * mean : 0.99 * square_[k] + 0.01 * mean * mean;
        scale = 1 / (1e-5 + std::sqrt(square_[k]));
      }
      next[k] = std::abs(next[k] + 0.5 * step_ * scale * gradient_[k] + std::sqrt(step_ * scale) * noise_[k]);
    }
    past_.back() = std::move(next);
  }

  /// theta_t = theta_{t-M} + step H gradient + N(0, 2 step H), H from the pairs of the M - 1 iterations between.
  void quasi_newton() {
    const Vector base = past_.front();
    target_.gradient(base, chosen_, gradient_);
    if (iteration_ == 1) first_scale_ = 1 / stiffness(base);
    double scale = first_scale_;
    if (weight_ > 0) scale = weight_ / stiffnesses_;
    Vector drift = gradient_;
    apply(drift, scale);
    Vector& z = noise_;
    for (double& value : z) value *= std::sqrt(scale);
    // With V = I - s y' / s'y, H <- V H V' + s s' / s'y for each pair, and so the noise z <- V z + s N(0, 1 / s'y).
    Vector extra(pairs_.size() + 1);
    fill_normal({seed_, 0, iteration_, Purpose::momentum}, extra);
    for (std::size_t k = 0; k < pairs_.size(); ++k) {
      const auto& [s, y, curvature] = pairs_[k];
      if (curvature == 0) continue;
      const double along = extra[k] / std::sqrt(curvature) - product(y, z) / curvature;
      for (std::size_t j = 0; j < z.size(); ++j) z[j] += along * s[j];
    }
    Vector next = base;
    for (std::size_t j = 0; j < next.size(); ++j)
      next[j] = std::abs(next[j] + step_ * drift[j] + std::sqrt(2 * step_) * z[j]);
    Pair pair{next, Vector(next.size()), 0};
    target_.gradient(next, chosen_, pair.y);
    for (std::size_t j = 0; j < next.size(); ++j) {
      pair.s[j] -= base[j];
      pair.y[j] = gradient_[j] - pair.y[j];
    }
    const double curvature = product(pair.s, pair.y), size = product(pair.s, pair.s), bend = product(pair.y, pair.y);
    if (curvature > 1e-3 * std::sqrt(size * bend)) {
      pair.curvature = curvature;
      stiffnesses_ = 0.95 * stiffnesses_ + 0.05 * bend / curvature;
      weight_ = 0.95 * weight_ + 0.05;
    }
    pairs_.push_back(std::move(pair));
    if (pairs_.size() > history - 1) pairs_.pop_front();
    past_.push_back(std::move(next));
    if (past_.size() > history) past_.pop_front();
  }

  /// v <- H v, by the two loops of L-BFGS.
  void apply(Vector& v, double scale) const {
    Vector along(pairs_.size());
    for (std::size_t k = pairs_.size(); k-- > 0;) {
      if (pairs_[k].curvature == 0) continue;
      along[k] = product(pairs_[k].s, v) / pairs_[k].curvature;
      for (std::size_t j = 0; j < v.size(); ++j) v[j] -= along[k] * pairs_[k].y[j];
    }
    for (double& value : v) value *= scale;
    for (std::size_t k = 0; k < pairs_.size(); ++k) {
      if (pairs_[k].curvature == 0) continue;
      const double difference = along[k] - product(pairs_[k].y, v) / pairs_[k].curvature;
      for (std::size_t j = 0; j < v.size(); ++j) v[j] += difference * pairs_[k].s[j];
    }
  }

  /// The largest curvature, by a few steps of the power method on differences of gradients.
  double stiffness(const Vector& base) const {
    Vector direction = gradient_, there(base.size()), moved(base.size());
    double found = 1;
    for (int probe = 0; probe < 4; ++probe) {
      const double shift = 1e-4 * std::sqrt(product(base, base) / product(direction, direction));
      for (std::size_t j = 0; j < base.size(); ++j) there[j] = base[j] + shift * direction[j];
      target_.gradient(there, chosen_, moved);
      const double before = shift * std::sqrt(product(direction, direction));
      for (std::size_t j = 0; j < base.size(); ++j) direction[j] = moved[j] - gradient_[j];
      found = std::max(found, std::sqrt(product(direction, direction)) / before);
    }
    return found;
  }

  StableSeparation& target_;
  std::string method_;
  double step_;
  std::uint64_t seed_, iteration_ = 0;
  std::vector<std::uint32_t> chosen_;
  Vector gradient_, noise_, square_;
  std::deque<Vector> past_;
  std::deque<Pair> pairs_;
  double first_scale_ = 1, stiffnesses_ = 0, weight_ = 0;
};

struct Sentence {
  std::string name, noise;
  Signal clean, noisy;
};

struct Denoised {
  std::vector<figure::Point> course;  // ratio against iterations
  double ratio = -std::numeric_limits<double>::infinity();
  double seconds_per_iteration = 0;
};

Denoised denoise(const Sentence& sentence, const Vector& basis, std::size_t rank, const std::string& method,
                 double step, const Length& length) {
  const Spectrum noisy(sentence.noisy, most_frames);
  StableSeparation target(noisy, basis, {rank, 1.2}, noise_shape, 5);
  Sampler sampler(target, method, step, 6);
  Denoised result;
  const std::uint64_t between = length.iterations / length.looks;
  double seconds = 0;
  for (std::size_t look = 0; look < length.looks; ++look) {
    Vector mask(noisy.size());
    double count = 0;
    for (std::uint64_t t = 1; t <= between; ++t) {
      const double before = cpu_seconds();
      sampler.step();
      seconds += cpu_seconds() - before;
      if (t + length.averaged > between && (between - t) % length.every == 0) {
        target.add_mask(sampler.theta(), mask);
        ++count;
      }
    }
    if (!sampler.is_finite()) return result;
    for (double& share : mask) share /= count;
    Spectrum speech = noisy;
    speech.multiply(mask);
    result.ratio = distortion_ratio(sentence.clean, speech.signal());
    result.course.push_back({static_cast<double>((look + 1) * between), result.ratio});
  }
  result.seconds_per_iteration = seconds / static_cast<double>(between * length.looks);
  return result;
}

/// Columns for speech: multiplicative updates for the Kullback-Leibler divergence of W H from |x|^1.2.
Vector learn_basis(const std::vector<Signal>& sentences, std::size_t rank, int sweeps) {
  constexpr std::size_t I = Spectrum::frequencies;
  Vector v;  // frame by frame
  for (const auto& signal : sentences) {
    const Spectrum spectrum(signal, most_frames);
    double mean = 0;
    for (std::size_t k = 0; k < spectrum.size(); ++k)
      mean += std::norm(spectrum[k]) / static_cast<double>(spectrum.size());
    for (std::size_t k = 0; k < spectrum.size(); ++k) v.push_back(std::pow(std::norm(spectrum[k]) / mean, 0.6));
  }
  const std::size_t J = v.size() / I;
  Vector w(I * rank), h(J * rank), ratio(I), up(I * rank), down(rank);
  fill_uniform({7, 0, 0, Purpose::initial}, w);
  fill_uniform({8, 0, 0, Purpose::initial}, h);
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    std::fill(up.begin(), up.end(), 0.0);
    std::fill(down.begin(), down.end(), 1e-12);
    Vector sums(rank, 1e-12);
    for (std::size_t i = 0; i < I; ++i)
      for (std::size_t k = 0; k < rank; ++k) sums[k] += w[i * rank + k];
    for (std::size_t j = 0; j < J; ++j) {
      double* own = h.data() + j * rank;
      const auto quotients = [&] {
        for (std::size_t i = 0; i < I; ++i) {
          double lambda = 1e-12;
          for (std::size_t k = 0; k < rank; ++k) lambda += w[i * rank + k] * own[k];
          ratio[i] = v[j * I + i] / lambda;
        }
      };
      quotients();
      Vector pull(rank);
      for (std::size_t i = 0; i < I; ++i)
        for (std::size_t k = 0; k < rank; ++k) pull[k] += ratio[i] * w[i * rank + k];
      for (std::size_t k = 0; k < rank; ++k) own[k] *= pull[k] / sums[k];
      quotients();
      for (std::size_t i = 0; i < I; ++i)
        for (std::size_t k = 0; k < rank; ++k) up[i * rank + k] += ratio[i] * own[k];
      for (std::size_t k = 0; k < rank; ++k) down[k] += own[k];
    }
    for (std::size_t i = 0; i < I; ++i)
      for (std::size_t k = 0; k < rank; ++k) w[i * rank + k] *= up[i * rank + k] / down[k];
  }
  for (std::size_t k = 0; k < rank; ++k) {
    double mean = 1e-12;
    for (std::size_t i = 0; i < I; ++i) mean += w[i * rank + k] / I;
    for (std::size_t i = 0; i < I; ++i) w[i * rank + k] /= mean;
  }
  return w;
}

struct Sounds {
  std::vector<Signal> clean;                    // to learn from
  std::vector<Sentence> validation, sentences;  // noisy ones
};

/// Every third sentence is for tests: six speakers have five sentences each.
Sounds noizeus(const std::string& path, std::size_t tested) {
  const auto all = sounds_in(path);
  Sounds sounds;
  std::size_t used = 0;
  for (int number = 1; number <= 30; ++number) {
    char name[8];
    std::snprintf(name, sizeof name, "sp%02d", number);
    const auto clean = all.find("Dataset/clean/" + std::string(name) + ".wav");
    if (clean == all.end()) continue;
    const bool test = number % 3 == 0;
    if (!test) sounds.clean.push_back(clean->second);
    if (test && used++ >= tested) continue;
    for (const std::string noise : {"babble", "car", "street", "train"}) {
      const auto noisy = all.find("Dataset/noisy/" + noise + "_5dB/" + name + "_" + noise + "_sn5.wav");
      if (noisy == all.end()) continue;
      if (test) sounds.sentences.push_back({name, noise, clean->second, noisy->second});
      if ((number == 1 && noise == "babble") || (number == 20 && noise == "train"))
        sounds.validation.push_back({name, noise, clean->second, noisy->second});
    }
  }
  if (sounds.sentences.empty() || sounds.validation.empty()) {
    std::fprintf(stderr, "hamcmc_speech: %s does not have the clean and noisy sentences of NOIZEUS\n", path.c_str());
    std::exit(1);
  }
  return sounds;
}

Sounds made_up(bool quick) {
  const std::size_t length = quick ? 3000 : 18304;
  const auto noisy = [&](std::uint64_t which) {
    Sentence sentence{"voice " + std::to_string(which), "white", made_up_voice(length, which), {}};
    sentence.noisy.resize(length);
    fill_normal({12, 0, which, Purpose::data}, sentence.noisy);
    for (std::size_t k = 0; k < length; ++k) sentence.noisy[k] = sentence.clean[k] + 0.03 * sentence.noisy[k];
    return sentence;
  };
  return {{made_up_voice(length, 1), made_up_voice(length, 2)}, {noisy(2)}, {noisy(3), noisy(4)}};
}

}  // namespace

int main(int count, char** words) {
  const Arguments arguments(count, words, "hamcmc_speech", true);
  const bool quick = arguments.quick, real = !arguments.data.empty();
  Length length;
  if (quick) length = {60, 10, 5, 3};
  if (arguments.iterations > 0) length.iterations = arguments.iterations;
  Length trial = length;
  trial.looks = 1;
  const std::size_t rank = quick ? 8 : 100;
  const Sounds sounds =
      real ? noizeus(arguments.data, arguments.repetitions > 0 ? arguments.repetitions : 10) : made_up(quick);
  const Vector basis = learn_basis(sounds.clean, rank, quick ? 5 : 50);
  std::printf("learnt %zu columns from %zu sentences in %.1f s\n", rank, sounds.clean.size(), cpu_seconds());
  std::fflush(stdout);

  const std::vector<std::string> methods = {"sgld", "psgld", "hamcmc"};
  std::map<std::string, Vector> steps = {{"sgld", {1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4}},
                                         {"psgld", {1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4}},
                                         {"hamcmc", {0.001, 0.003, 0.01, 0.03, 0.1, 0.3}}};
  if (quick)
    for (auto& [method, own] : steps) own.erase(own.begin(), own.end() - 3);
  struct Trial {
    std::string method;
    double step;
    std::size_t sentence;
    double ratio = 0;
  };
  std::vector<Trial> trials;
  for (const auto& method : methods)
    for (const double step : steps[method])
      for (std::size_t k = 0; k < sounds.validation.size(); ++k) trials.push_back({method, step, k});
  in_parallel(trials.size(), [&](std::size_t k) {
    Trial& own = trials[k];
    own.ratio = denoise(sounds.validation[own.sentence], basis, rank, own.method, own.step, trial).ratio;
  });
  std::map<std::string, std::pair<double, double>> best;  // step and ratio
  std::vector<std::vector<std::string>> tried;
  for (const auto& method : methods)
    for (const double step : steps[method]) {
      double ratio = 0;
      for (const Trial& own : trials)
        if (own.method == method && own.step == step)
          ratio += own.ratio / static_cast<double>(sounds.validation.size());
      std::printf("%s, step %g: %.2f dB\n", method.c_str(), step, ratio);
      tried.push_back({method, digits(step, 1), std::isfinite(ratio) ? digits(ratio, 3) : "diverged"});
      if (!best.contains(method) || ratio > best[method].second) best[method] = {step, ratio};
    }
  std::fflush(stdout);

  // The last of these has factors that stay where they start: sgld with a step of 0.
  std::vector<std::vector<Denoised>> found(methods.size() + 1, std::vector<Denoised>(sounds.sentences.size()));
  in_parallel(found.size() * sounds.sentences.size(), [&](std::size_t k) {
    const std::size_t m = k % found.size(), sentence = k / found.size();
    const std::string method = m < methods.size() ? methods[m] : "sgld";
    const double step = m < methods.size() ? best[method].first : 0;
    found[m][sentence] = denoise(sounds.sentences[sentence], basis, rank, method, step, length);
  });

  figure::Panel boxes("speech after denoising", {""}, {"signal-to-distortion ratio, dB"});
  figure::Panel course("mean over signals", {"iterations"}, {"signal-to-distortion ratio, dB"});
  std::vector<std::string> noises;
  for (const auto& sentence : sounds.sentences)
    if (std::find(noises.begin(), noises.end(), sentence.noise) == noises.end()) noises.push_back(sentence.noise);
  std::vector<std::string> head = {"", "step", "ms per iteration"};
  for (const auto& noise : noises) head.push_back(noise + ", dB");
  head.push_back("all, dB");
  std::vector<std::vector<std::string>> lines;
  std::vector<Vector> ratios;  // by method, then of the noisy signals
  const auto add_line = [&](const std::string& name, const std::string& step, const std::string& cost,
                            const Vector& values) {
    std::vector<std::string> line = {name, step, cost};
    for (const auto& noise : noises) {
      Vector own;
      for (std::size_t k = 0; k < values.size(); ++k)
        if (sounds.sentences[k].noise == noise) own.push_back(values[k]);
      line.push_back(digits(average_of(own).mean, 3));
    }
    const Average all = average_of(values);
    line.push_back(text_of(all, 3));
    lines.push_back(line);
    std::printf("%s: %.2f +- %.2f dB\n", name.c_str(), all.mean, all.error);
  };
  Vector before;
  for (const auto& sentence : sounds.sentences)
    before.push_back(distortion_ratio(sentence.clean, Spectrum(sentence.noisy, most_frames).signal()));
  add_line("noisy", "", "", before);
  boxes.box("noisy", "noisy", before);
  std::string courses;  // of the ratio
  for (std::size_t m = 0; m < found.size(); ++m) {
    const std::string name = m < methods.size() ? methods[m] : "factors at their start";
    Vector values;
    double cost = 0;
    std::vector<figure::Point> means;
    for (const Denoised& own : found[m]) {
      values.push_back(own.ratio);
      cost += 1e3 * own.seconds_per_iteration / static_cast<double>(found[m].size());
      means.resize(std::max(means.size(), own.course.size()));
      for (std::size_t k = 0; k < own.course.size(); ++k) {
        means[k].x = own.course[k].x;
        means[k].y += own.course[k].y / static_cast<double>(found[m].size());
      }
    }
    add_line(name, m < methods.size() ? digits(best[name].first, 1) : "0", digits(cost, 2), values);
    if (m < methods.size()) boxes.box(name, name, values);
    course.line(name, means);
    ratios.push_back(values);
    if (!means.empty())
      courses += (courses.empty() ? "" : ", ") + name + " " + digits(means.front().y, 3) + " and " +
                 digits(means.back().y, 3) + " dB";
  }
  figure::write_svg(arguments.out / "hamcmc-speech.svg", {boxes, course}, 2);

  // Differences signal by signal.
  const auto gain = [&](std::size_t more, std::size_t less) {
    Vector differences;
    for (std::size_t k = 0; k < ratios[more].size(); ++k) differences.push_back(ratios[more][k] - ratios[less][k]);
    return average_of(differences);
  };
  const auto words_of = [](const Average& own) { return text_of(own, 2) + " dB"; };
  Page page(arguments.out, "hamcmc-speech", "Quasi-Newton Langevin dynamics: speech in noise");
  page.text(
      "Şimşekli, Badeau, Cemgil and Richard (2016), section 4.2, figure 3: " +
      std::string(real ? "sentences of NOIZEUS with noise of 5 dB" : "made-up voices in noise") +
      ", whose short-time spectra (256 frequencies, up to 140 frames) are the sum of two complex α-stable matrix "
      "factorisations: speech with α = 1.2 and " +
      std::to_string(rank) +
      " columns learnt before, noise with α = 1.89 and 5 unknown columns. Given latent "
      "variances, which move by Metropolis with proposals from their prior, the factors move by `sgld`, `psgld` and "
      "`hamcmc` (M = 5) on a tenth of the entries and are mirrored at 0; " +
      std::to_string(length.iterations) + " iterations (the paper: 2500), of which the last " +
      std::to_string(length.averaged) +
      " are averaged. `examples/papers/hamcmc_speech.cpp` (`SOUNDS --out DIR`, SOUNDS the unpacked tar file) writes "
      "this page. The samplers are written out there, since [`sgmcmc factorize`](../factorize.md) has α-stable "
      "observations with one source only, and its exact Gibbs sampler for them.");
  page.text(
      "**Differences from the paper.** It has 80 signals and learns the columns of speech from another corpus; here "
      "there are " +
      std::to_string(sounds.sentences.size()) + " signals, and columns are learnt from the " +
      std::to_string(sounds.clean.size()) +
      " clean sentences that are not tested, of the same speakers, by multiplicative updates on |x|^1.2. Priors of "
      "factors are exponential (the paper: generalised gamma, with parameters that it does not state). Steps are the "
      "best of " +
      std::to_string(steps["sgld"].size()) + " for each method, on " + std::to_string(sounds.validation.size()) +
      " signals of the sentences that are not tested, after a run of full length. The signal-to-distortion ratio is "
      "that of the waveforms, without the filters that some definitions allow. In the first table ± are standard "
      "errors over the " +
      std::to_string(sounds.sentences.size()) + " signals; differences between methods are taken signal by signal.");
  page.figure("Signal-to-distortion ratios by method, and against iterations", "hamcmc-speech.svg");
  page.table(head, lines);
  page.text("Ratios on the signals that chose the steps, in dB:");
  page.table({"method", "step", "dB"}, tried);
  std::string ends;  // methods for which smaller steps might be better
  for (const auto& method : methods) {
    std::vector<std::vector<std::string>> own;  // in the order of the steps
    for (const auto& line : tried)
      if (line[0] == method) own.push_back(line);
    const bool tie = own.size() > 1 && own[0][2] == own[1][2] && own[1][1] == digits(best[method].first, 1);
    if (own.front()[1] == digits(best[method].first, 1) || tie)
      ends += (ends.empty() ? "" : ", ") + ("`" + method + "` (" + own.front()[1] + (tie ? ", with a tie)" : ")"));
  }
  if (!ends.empty())
    page.text("The best step is at the smallest one tried for " + ends + "; smaller ones may be better.");
  if (real)
    page.text(
        "**Why.** The ratio does not measure convergence. After the first fifth of a run and at its end it is: " +
        courses +
        ". In the last of these only the latent variances move, and all activations stay alike; that alone tells "
        "speech "
        "from noise. The steps that the ratio chooses are so small that chains hardly leave that start; with larger "
        "ones, which move further, every method ends lower (second table). So this figure cannot show which method "
        "samples better: its order depends on how far each has moved when the run stops, and on priors and starts, "
        "which the paper does not state. Whether the exact posterior has a high ratio is not known: no exact sampler "
        "was run.");
  const Average over_sgld = gain(2, 0), over_psgld = gain(2, 1), psgld_gain = gain(1, 0);
  // Differences are paired, signal by signal, so that their standard errors judge.
  const auto above = [](const Average& own) {
    return own.mean > 2 * own.error    ? Verdict::same
           : own.mean < -2 * own.error ? Verdict::contrary
                                       : Verdict::not_shown;
  };
  page.finding("HAMCMC improves significantly over SGLD and PSGLD",
               "hamcmc - sgld: " + words_of(over_sgld) + ", hamcmc - psgld: " + words_of(over_psgld),
               all_of({above(over_sgld), above(over_psgld)}));
  page.finding("SGLD and PSGLD are similar (here: less than 0.5 dB apart)", "psgld - sgld: " + words_of(psgld_gain),
               std::abs(psgld_gain.mean) + 2 * psgld_gain.error < 0.5   ? Verdict::same
               : std::abs(psgld_gain.mean) - 2 * psgld_gain.error > 0.5 ? Verdict::contrary
                                                                        : Verdict::not_shown);
  page.finding("PSGLD is slightly better than SGLD", "psgld - sgld: " + words_of(psgld_gain), above(psgld_gain));
  page.write();
  return 0;
}
