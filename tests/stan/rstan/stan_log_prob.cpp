// Prints Stan's log densities, gradients and constrained values of a model at unconstrained points; {} if Stan refuses
// the data or rejects the point. make_fixtures.py compiles it with the C++ code that rstan's stanc generates; not part
// of the build.
#include MODELS_FILE  // includes the models and lists them: MODELS(X) is X(key, with generated quantities) ...

#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

namespace {

using Numbers = std::vector<double>;

void print_names(const char* key, const std::vector<std::string>& names) {
  std::printf("\"%s\": [", key);
  for (std::size_t i = 0; i < names.size(); ++i) std::printf("%s\"%s\"", i ? ", " : "", names[i].c_str());
  std::printf("]");
}

void print_numbers(const char* key, const Numbers& values) {
  std::printf("\"%s\": [", key);
  for (std::size_t i = 0; i < values.size(); ++i) std::printf("%s\"%.17g\"", i ? ", " : "", values[i]);
  std::printf("]");
}

template <bool drop_constants, class Model>
double log_density(const Model& model, const Numbers& point, Numbers& gradient) {
  std::vector<int> no_integers;
  stan::math::start_nested();
  std::vector<stan::math::var> parameters(point.begin(), point.end());
  stan::math::var value = model.template log_prob<drop_constants, true>(parameters, no_integers, &std::cerr);
  const double result = value.val();
  value.grad(parameters, gradient);
  stan::math::recover_memory_nested();
  return result;
}

/// Fields that Stan throws an error for are missing.
template <class Model>
void print_point(const Model& model, const Numbers& point, bool constrained, bool generated) {
  const char* separator = "{";
  try {
    Numbers gradient;
    const double with_constants = log_density<false>(model, point, gradient);
    const double value = log_density<true>(model, point, gradient);
    std::printf("{\"value\": \"%.17g\", \"with_constants\": \"%.17g\", ", value, with_constants);
    print_numbers("gradient", gradient);
    separator = ", ";
  } catch (const std::exception& error) {
    stan::math::recover_memory_nested();
    std::fprintf(stderr, "%s\n", error.what());
  }
  if (constrained) {
    try {
      boost::ecuyer1988 generator(1);
      Numbers copy = point, values;
      std::vector<int> no_integers;
      model.write_array(generator, copy, no_integers, values, true, generated, &std::cerr);
      std::printf("%s", separator);
      print_numbers("constrained", values);
      separator = ", ";
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
  }
  std::printf(*separator == '{' ? "{}\n" : "}\n");
}

template <class Model>
int answer(const char* data_file, bool generated) {
  std::ifstream file(data_file);
  stan::io::dump data(file);
  std::unique_ptr<const Model> made;
  try {
    made = std::make_unique<const Model>(data, 1, &std::cerr);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    std::printf("{}\n");
    return 0;
  }
  const Model& model = *made;
  std::vector<std::string> names, constrained_names;
  model.unconstrained_param_names(names, false, false);
  model.constrained_param_names(constrained_names, true, generated);
  std::printf("{");
  print_names("names", names);
  std::printf(", ");
  print_names("constrained_names", constrained_names);
  std::printf("}\n");
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream text(line);
    int constrained = 0;
    text >> constrained;
    Numbers point;
    for (double value; text >> value;) point.push_back(value);
    print_point(model, point, constrained != 0, generated);
  }
  return 0;
}

}  // namespace

int main(int, char** arguments) {
#define ANSWER(key, generated) \
  if (!std::strcmp(arguments[1], #key)) return answer<model_##key##_namespace::model_##key>(arguments[2], generated);
  MODELS(ANSWER)
  std::fprintf(stderr, "no model %s here\n", arguments[1]);
  return 1;
}
