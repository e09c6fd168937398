// All functions of packs in one include: sqrt, exponentials, logarithms, circular, gamma and normal functions.
#pragma once

#include "base/elementary.hpp"
#include "base/gamma_functions.hpp"
#include "base/normal_functions.hpp"
#include "base/trigonometric.hpp"
