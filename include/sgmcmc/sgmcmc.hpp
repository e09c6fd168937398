// Everything a user needs, in one include.
#pragma once

#include <sgmcmc/bias.hpp>
#include <sgmcmc/calibrate.hpp>
#include <sgmcmc/compare.hpp>
#include <sgmcmc/constraint.hpp>
#include <sgmcmc/corpus.hpp>
#include <sgmcmc/dataset.hpp>
#include <sgmcmc/diagnose.hpp>
#include <sgmcmc/distributions.hpp>
#include <sgmcmc/dpmix.hpp>
#include <sgmcmc/draws.hpp>
#include <sgmcmc/dynamics.hpp>
#include <sgmcmc/error.hpp>
#include <sgmcmc/expression.hpp>
#include <sgmcmc/gradient.hpp>
#include <sgmcmc/laplace.hpp>
#include <sgmcmc/lda.hpp>
#include <sgmcmc/minibatch.hpp>
#include <sgmcmc/model.hpp>
#include <sgmcmc/optimize.hpp>
#include <sgmcmc/random.hpp>
#include <sgmcmc/rank_tests.hpp>
#include <sgmcmc/sample.hpp>
#include <sgmcmc/simplex.hpp>
#include <sgmcmc/stein.hpp>
#include <sgmcmc/zero_variance.hpp>
