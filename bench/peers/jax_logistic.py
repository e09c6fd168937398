"""SGLD for logistic regression in JAX: the same model and sizes as sgmcmc_bench, as fast as we know how to write it.

All steps of a block are one jit-compiled scan with donated buffers. Rows are drawn with replacement, which is less work
than without. Chosen by trial: indices and noise of a block drawn in one call before the scan (drawing inside the step is
slower), JAX's default generator, the label as a column beside the features so that a row is gathered once, and the gradient
written out (a few per cent faster than jax.grad of the same density). Speaks the protocol of serve.py.
"""

import argparse

import serve

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--precision", choices=["double", "float"], default="double")
parser.add_argument("--rows", type=int, default=581012)
parser.add_argument("--features", type=int, default=54)
parser.add_argument("--batch-size", type=int, default=500)
parser.add_argument("--step-size", type=float, default=1e-6)
parser.add_argument("--block", type=int, default=1000, help="steps per compiled scan")
arguments = parser.parse_args()

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402

jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_enable_x64", arguments.precision == "double")
real = jnp.float64 if arguments.precision == "double" else jnp.float32

rows, features, batch_size, step_size = arguments.rows, arguments.features, arguments.batch_size, arguments.step_size


def block(beta, key, table):
    next_key, index_key, noise_key = jax.random.split(key, 3)
    indices = jax.random.randint(index_key, (arguments.block, batch_size), 0, rows, dtype=jnp.int32)
    noise = jax.random.normal(noise_key, (arguments.block, features), dtype=real)

    def step(beta, drawn):
        index, normal = drawn
        picked = table.at[index].get(mode="promise_in_bounds")
        x, y = picked[:, :features], picked[:, features]
        gradient = rows / batch_size * ((y - jax.nn.sigmoid(x @ beta)) @ x) - jnp.sign(beta)
        return beta + step_size / 2 * gradient + step_size**0.5 * normal, None

    beta, _ = jax.lax.scan(step, beta, (indices, noise))
    return beta, next_key


def synthetic(key):
    x_key, y_key, beta_key = jax.random.split(key, 3)
    x = jax.random.normal(x_key, (rows, features), dtype=real)
    truth = jax.random.normal(beta_key, (features,), dtype=real) / features**0.5
    y = (jax.random.uniform(y_key, (rows,), dtype=real) < jax.nn.sigmoid(x @ truth)).astype(real)
    return jnp.concatenate([x, y[:, None]], axis=1)


table = jax.jit(synthetic)(jax.random.key(1))
compiled = jax.jit(block, donate_argnums=(0, 1))
state = [jnp.zeros(features, dtype=real), jax.random.key(2)]


def run_block():
    state[:] = compiled(state[0], state[1], table)
    jax.block_until_ready(state[0])


serve.serve(run_block, steps_per_block=arguments.block)
