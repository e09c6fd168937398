// The table of commands.
#include "cli/command_table.hpp"

namespace sgmcmc::cli {

const std::vector<CommandDeclaration>& command_table() {
  static const std::vector<CommandDeclaration> table = {
      {Command::sample,
       "sample",
       "MODEL",
       "draw from the posterior of a model, using minibatches of its data",
       {"Reads a model in the Stan language and its data, draws from the posterior and prints a summary. With --out, "
        "the chains write draws while they run, and sgmcmc resume can continue a run after Ctrl-C."},
       {"sgmcmc sample logistic.stan --data covertype.csv --out run",
        "sgmcmc sample logistic.stan --data X=features.npy --data y=labels.npy --method sghmc-svrg --batch-size 0.01 "
        "--step-size 1e-5,sigma=1e-3",
        "sgmcmc sample --config run/run.json --out again"}},
      {Command::resume,
       "resume",
       "DIR",
       "continue an interrupted or killed run, or extend a finished one",
       {"DIR is a folder written by sgmcmc sample, lda, dpmix or factorize with --out. The run continues from its last "
        "checkpoint; its draws are the same as those of an uninterrupted run. Model, data and options must be "
        "unchanged, otherwise resume reports the change and stops. Runs of sample can be extended."},
       {"sgmcmc resume run", "sgmcmc resume run --iterations 100000"}},
      {Command::optimize,
       "optimize",
       "MODEL",
       "find the mode of the posterior",
       {"Maximises the log posterior density on the unconstrained scale, including the Jacobians of constrained "
        "parameters; control variates are centred at this mode. With --jacobian false, maximises the density of the "
        "declared parameters."},
       {"sgmcmc optimize logistic.stan --data covertype.csv --out mode",
        "sgmcmc optimize network.stan --data mnist.json --method adam --step-size 0.001"}},
      {Command::log_density,
       "log-density",
       "MODEL",
       "log posterior density and gradient at given points",
       {"Points, log densities and gradients are on the unconstrained scale, in Stan's order; Jacobians are included."},
       {"sgmcmc log-density model.stan --data data.json --at points.json --json"}},
      {Command::check,
       "check",
       "MODEL",
       "check a model and show its parameters, rows, prior and likelihood",
       {"Without --data, parses the model and checks its types. With --data, also shows which statements belong to the "
        "prior and which to the likelihood of rows, and which rows can be minibatched, or why none can."},
       {"sgmcmc check model.stan", "sgmcmc check model.stan --data data.json"}},
      {Command::summary,
       "summary",
       "DIR|FILE...",
       "means, quantiles and diagnostics of draws",
       {"Summarises the chains in a folder written by sgmcmc sample, in CSV files of sgmcmc or CmdStan, or in an ArviZ "
        "NetCDF file."},
       {"sgmcmc summary run", "sgmcmc summary run --columns mean,sd,mcse_sd,iat,atuc",
        "sgmcmc summary run/chain-1.csv run/chain-2.csv --json", "sgmcmc summary run/draws.nc"}},
      {Command::compare,
       "compare",
       "A [B]",
       "compare two sets of draws, with Monte Carlo errors",
       {"A and B are folders written by sgmcmc sample, or files of draws; B is the reference. Compares the variables "
        "that both have: means and standard deviations relative to those of the reference, Kolmogorov-Smirnov "
        "distances, and distances between the whole sets. With --dirichlet, compares draws of A on a simplex with a "
        "Dirichlet distribution."},
       {"sgmcmc compare fast exact", "sgmcmc compare fast exact --only beta,sigma --json",
        "sgmcmc compare run --dirichlet 0.1,0.1,0.8 --only theta"}},
      {Command::diagnose,
       "diagnose",
       "DIR",
       "compare the draws of a run with the posterior itself",
       {"Compares the draws in a folder written by sgmcmc sample with the posterior itself, using gradients of its log "
        "density at the draws. This finds errors in means and standard deviations caused by large steps or noisy "
        "gradients, which R-hat does not detect. Prints a verdict and recommendations."},
       {"sgmcmc diagnose run", "sgmcmc diagnose run --halving 2000 --all"}},
      {Command::calibrate,
       "calibrate",
       "MODEL",
       "test whether a method draws from the posterior, by fitting simulated data",
       {"Simulation-based calibration: draws parameters from the prior and data from the model, fits the data, and "
        "ranks the true parameters among the draws. Over many replications the ranks are uniform if the draws come "
        "from the posterior. The files of --data supply sizes, covariates and the shape of the observations, whose "
        "values are replaced."},
       {"sgmcmc calibrate model.stan --data data.json",
        "sgmcmc calibrate model.stan --data data.json --method sgld-cv --step-size 1e-4 --replications 500",
        "sgmcmc calibrate mixture.stan --data data.json --simulate simulate_mixture.stan"}},
      {Command::lda,
       "lda",
       "DOCS",
       "find the topics of documents (latent Dirichlet allocation)",
       {"Latent Dirichlet allocation with minibatches of documents. DOCS is a file of bags of words (UCI or LDA-C), a "
        "text file with one document per line, or a folder with one document per file; files may be "
        "compressed (gzip, zstd, xz). Prints the top words of every topic and the perplexity of one half of each "
        "held-out document given the other half. Ctrl-C ends a run early and keeps the results so far."},
       {"sgmcmc lda docword.kos.txt --vocabulary vocab.kos.txt --topics 50 --out kos",
        "sgmcmc lda articles.txt --method sgrld --beta 0.01 --memory 256M",
        "sgmcmc lda new.txt --apply kos --out found"}},
      {Command::dpmix,
       "dpmix",
       "DATA",
       "cluster users or documents (Dirichlet process mixture)",
       {"Dirichlet process mixture of categorical data, sampled from minibatches. DATA is a file of bags of words (UCI "
        "or LDA-C), of cases and votes (like the anonymous Microsoft web data), a text file with one document per "
        "line, or a folder with one document per file; files may be compressed (gzip, zstd, xz). Each document belongs "
        "to one cluster, and the number of clusters is inferred. Prints the top words of the largest clusters and the "
        "mean log probability of held-out documents. Ctrl-C ends a run early and keeps the results so far."},
       {"sgmcmc dpmix anonymous-msweb.data.xz --iterations 10000 --out areas",
        "sgmcmc dpmix docword.txt --vocabulary vocab.txt --method sgrld --beta 0.1 --json"}},
      {Command::factorize,
       "factorize",
       "RATINGS",
       "predict ratings of users and items (Bayesian matrix factorisation)",
       {"Models ratings by a few factors per user and item, and predicts unseen ratings with their uncertainty. "
        "RATINGS is a file with user, item and rating on each line, separated by ::, tabs, commas, ; or |, a "
        "MatrixMarket file, or one in libFM's format; also gzip, zstd or xz compressed. Prints the root mean square "
        "error, the mean log predictive density and the coverage of predictive intervals for held-out ratings. With "
        "--apply, RATINGS are pairs to predict from a previous run. Ctrl-C ends a run early and keeps "
        "the results so far."},
       {"sgmcmc factorize ratings.dat --factors 20 --out movies",
        "sgmcmc factorize ratings.csv --columns userId,movieId,rating --hold-out 0.1 --recommend 10 --out movies",
        "sgmcmc factorize pairs.csv --apply movies --out found"}},
      {Command::combine,
       "combine",
       "DIR...",
       "combine the draws of all parts of the rows",
       {"Combines runs of sgmcmc sample --subposterior, one for each part of the rows, into draws of the posterior "
        "given all rows. DIR is the folder of --subposterior all/20, or the folder of each part. The combination is "
        "judged by gradients over all rows. With --out, writes a folder like that of sgmcmc sample, for sgmcmc "
        "summary, diagnose, compare and report."},
       {"sgmcmc sample model.stan --data data.json --subposterior all/20 --out parts",
        "sgmcmc combine parts --out combined", "sgmcmc combine parts --method semiparametric --out combined"}},
      {Command::report,
       "report",
       "DIR|FILE...",
       "write an HTML report of a run: verdict, figures, tables",
       {"Writes a self-contained HTML file: the verdict with the parameters it concerns, a table to sort and search, "
        "the trace, ranks, density and effective sample size of each parameter, the settings that tuning tried, the "
        "model, and the command that repeats the run. DIR is a folder written by sgmcmc sample, lda, dpmix or "
        "factorize with --out, finished or not. FILE is a file of draws as for sgmcmc summary; its report has no "
        "verdict."},
       {"sgmcmc report run", "sgmcmc report run --out run.html", "sgmcmc report run --watch",
        "sgmcmc report chain-1.csv chain-2.csv"}},
      {Command::plot,
       "plot",
       "DIR|FILE...",
       "draw one figure of a run, as SVG",
       {"Draws traces, densities or ranks of some parameters, by default those that mix worst; the settings that "
        "tuning tried; or the sd ratios and mean shifts on which the verdict is based."},
       {"sgmcmc plot run --what density --only beta --out beta.svg",
        "sgmcmc plot run --what verdict --out verdict.svg"}},
      {Command::data,
       "data",
       "[NAME]",
       "download a data set of the examples: covertype, mnist",
       {"Downloads the files of a data set once, with curl or wget, checks them by their SHA-256, and prints where "
        "they "
        "are. With --out, writes the data set as CSV or NPY files. Without a network, --folder or the environment "
        "variable SGMCMC_DATA names a folder that has the files; SGMCMC_DATA_URL names a mirror. Without NAME, lists "
        "the data sets."},
       {"sgmcmc data covertype --out .", "sgmcmc data mnist", "sgmcmc data mnist --folder /data/mnist --json"}},
      {Command::pack,
       "pack",
       "MODEL",
       "write data to a row file, which need not fit into memory",
       {"Writes the data that the model declares to one file, in random order of the rows, with checksums. sgmcmc "
        "sample "
        "--data FILE reads rows in place there: with --memory, data larger than memory. CSV and NPY files are packed "
        "in "
        "fixed memory. If packing is interrupted, the same command continues it. --group-by NAME keeps rows of the "
        "same group together, for hierarchical models."},
       {"sgmcmc pack logistic.stan --data covertype.csv --out covertype.sgr",
        "sgmcmc pack logistic.stan --data X=features.npy --data y=labels.npy --out rows.sgr",
        "sgmcmc pack users.stan --data users.csv --group-by user --out users.sgr",
        "sgmcmc sample logistic.stan --data rows.sgr --memory 1G"}},
  };
  return table;
}

const CommandDeclaration& declaration_of(Command command) { return command_table()[static_cast<std::size_t>(command)]; }

const CommandDeclaration* find_command(std::string_view name) {
  for (const auto& declaration : command_table())
    if (declaration.name == name) return &declaration;
  return nullptr;
}

std::string flag_of(const OptionDeclaration& option) { return "--" + option.name; }

std::string help_of(const OptionDeclaration& option) {
  std::string text;
  for (std::size_t begin = 0; begin < option.help.size();) {
    const auto open = option.help.find('`', begin), close = option.help.find('`', open + 1);
    text += option.help.substr(begin, open - begin);
    if (open == std::string::npos) break;
    text += "--" + option.help.substr(open + 1, close - open - 1);
    begin = close + 1;
  }
  return text;
}

}  // namespace sgmcmc::cli
