// Topics and mixtures of documents, from matrices of counts.
#include "arrays.hpp"
#include "interruptible.hpp"
#include "module.hpp"
#include "service/given/given_settings.hpp"
#include "service/mixture_run.hpp"
#include "service/record/resume.hpp"
#include "service/topics_run.hpp"

#include <sgmcmc/dpmix.hpp>
#include <sgmcmc/lda.hpp>

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>

namespace sgmcmc::python {
namespace {

using FloatMatrix = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/// Rows are documents and columns words; every row has words. Throws DataError if a count is not a whole number.
Corpus corpus_of(const SparseMatrix& counts, const std::vector<std::string>& vocabulary = {}) {
  Corpus::Builder builder(static_cast<std::uint32_t>(counts.columns));
  std::vector<std::uint32_t> words, numbers;
  for (std::size_t row = 0; row + 1 < counts.row_start.size(); ++row) {
    words.clear();
    numbers.clear();
    for (auto at = counts.row_start.data()[row]; at < counts.row_start.data()[row + 1]; ++at) {
      const double count = counts.values.data()[at];
      if (count == 0) continue;
      if (!(count > 0 && count == std::floor(count) && count <= std::numeric_limits<std::uint32_t>::max()))
        throw DataError("row " + std::to_string(row) +
                        ": counts of words are whole numbers that are not negative; found " + std::to_string(count));
      words.push_back(static_cast<std::uint32_t>(counts.column.data()[at]));
      numbers.push_back(static_cast<std::uint32_t>(count));
    }
    builder.add(words, numbers);
  }
  if (!vocabulary.empty()) builder.vocabulary(vocabulary);
  return builder.build();
}

/// The folder that a run writes, and whether to continue the run there. fingerprint: of the documents.
struct FolderOfDocuments {
  std::string path, fingerprint;
  bool resume = false;
};

/// A run on documents in memory: its options, and its folder if it has one.
class DocumentsRun {
 public:
  DocumentsRun(Command command, const GivenSettings& given, const FolderOfDocuments& where)
      : values_(option_values(command, given, true)) {
    if (where.resume) {
      resume(where, given);
      return;
    }
    if (!where.path.empty()) values_.set(*find_option(command, "out"), where.path, "out");
    folder_ = std::make_unique<RunFolder>(values_, "documents");
    if (folder_->exists()) folder_->record()[fingerprint_key] = where.fingerprint;
  }

  const OptionValues& values() const { return values_; }
  RunFolder& folder() { return *folder_; }

 private:
  static constexpr const char* fingerprint_key = "documents";

  void resume(const FolderOfDocuments& where, const GivenSettings& given) {
    const Command command = values_.command();
    folder_ = std::make_unique<RunFolder>(std::filesystem::path(where.path));
    const std::string run = "the run in '" + where.path + "' ";
    const auto& record = folder_->record();
    if (record.value("command", "") != command_name(command))
      throw UsageError(run + "is one of " + record.value("command", ""));
    const Resumption resumption = resume_run(*folder_, option_values(Command::resume, {}, true));
    if (resumption.finished) throw UsageError(run + "is finished: " + resumption.status);
    if (record.value(fingerprint_key, "") != where.fingerprint) throw UsageError(run + "was made with other documents");
    for (const auto& [name, text] : given) {
      const auto* option = find_option(command, name);
      if (option && !option->may_change && resumption.values.given(name) && name != "overwrite" &&
          resumption.values.text(option->name) != values_.text(option->name))
        throw UsageError(run + "has " + name + "=" + resumption.values.text(option->name) + ", not " +
                         values_.text(option->name));
    }
    values_ = resumption.values;
  }

  OptionValues values_;
  std::unique_ptr<RunFolder> folder_;
};

nb::dict fit_topics(const SparseMatrix& counts, const std::vector<std::string>& vocabulary, const GivenSettings& given,
                    const FolderOfDocuments& where) {
  const Corpus corpus = corpus_of(counts, vocabulary);
  DocumentsRun run(Command::lda, given, where);
  const LdaResult result = interruptible([&](const std::atomic<bool>* interrupt) {
                             return run_topics(run.values(), corpus, run.folder(), interrupt);
                           }).result;
  nb::dict found;
  const auto phi = result.model.phi();
  found["components"] =
      numpy_array({phi.begin(), phi.end()}, {result.model.topics(), static_cast<std::size_t>(counts.columns)});
  found["shares"] = numpy_vector(result.shares);
  found["perplexity"] = result.perplexity;
  found["iterations"] = result.iterations;
  found["interrupted"] = result.interrupted;
  nb::list trace;
  for (const auto& point : result.trace) trace.append(nb::make_tuple(point.iteration, point.perplexity));
  found["trace"] = trace;
  return found;
}

TopicModel topic_model(const FloatMatrix& components, double alpha, double beta) {
  return {static_cast<std::uint32_t>(components.shape(0)),
          static_cast<std::uint32_t>(components.shape(1)),
          alpha,
          beta,
          std::vector<float>(components.data(), components.data() + components.size()),
          {}};
}

nb::object shares_of_topics(const FloatMatrix& components, double alpha, double beta, const SparseMatrix& counts,
                            std::uint64_t seed, int threads) {
  const TopicModel model = topic_model(components, alpha, beta);
  const Corpus corpus = corpus_of(counts);
  const std::size_t topics = model.topics();
  std::vector<double> shares(topics * corpus.documents());
  {
    const nb::gil_scoped_release release;
    model.apply(corpus, {.seed = seed, .threads = threads}, [&](std::uint64_t document, std::span<const double> one) {
      std::copy(one.begin(), one.end(), shares.begin() + static_cast<std::ptrdiff_t>(document * topics));
    });
  }
  return numpy_array(std::move(shares), {corpus.documents(), topics});
}

double perplexity(const FloatMatrix& components, double alpha, double beta, const SparseMatrix& counts,
                  std::uint64_t seed, int threads) {
  const TopicModel model = topic_model(components, alpha, beta);
  const Corpus corpus = corpus_of(counts);
  const nb::gil_scoped_release release;
  return model.perplexity(corpus, {.seed = seed, .threads = threads});
}

nb::dict fit_mixture(const SparseMatrix& counts, const GivenSettings& given, const FolderOfDocuments& where) {
  const Corpus corpus = corpus_of(counts);
  DocumentsRun run(Command::dpmix, given, where);
  const DpmixResult result = interruptible([&](const std::atomic<bool>* interrupt) {
                               return run_mixture(run.values(), corpus, run.folder(), interrupt);
                             }).result;
  std::vector<double> weights, probabilities;
  for (const auto& cluster : result.clusters) {
    weights.push_back(cluster.weight);
    probabilities.insert(probabilities.end(), cluster.probabilities.begin(), cluster.probabilities.end());
  }
  nb::dict found;
  found["components"] =
      numpy_array(std::move(probabilities), {result.clusters.size(), static_cast<std::size_t>(counts.columns)});
  found["weights"] = numpy_vector(std::move(weights));
  found["log_predictive"] = result.log_predictive;
  found["mean_clusters"] = result.mean_clusters;
  found["concentration"] = result.mean_concentration;
  found["iterations"] = result.iterations;
  found["interrupted"] = result.interrupted;
  return found;
}

}  // namespace

void add_topics(nb::module_& m) {
  nb::class_<FolderOfDocuments>(m, "FolderOfDocuments")
      .def("__init__", [](FolderOfDocuments* self, std::string path, std::string fingerprint, bool resume) {
        new (self) FolderOfDocuments{std::move(path), std::move(fingerprint), resume};
      });
  m.def("fit_topics", &fit_topics);
  m.def("shares_of_topics", &shares_of_topics);
  m.def("perplexity", &perplexity);
  m.def("fit_mixture", &fit_mixture);
}

}  // namespace sgmcmc::python
