"""SGLD for the 784-100-10 Bayesian neural network in JAX: the same model and sizes as sgmcmc_bench.

All steps of a block are one jit-compiled scan with donated buffers; row indices of a block are drawn in one call. Chosen by
trial: JAX's default generator, and the noise of a step as one flat draw (per array, or with the "rbg" generators, it is
slower). Speaks the protocol of serve.py.
"""

import argparse

import serve

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--rows", type=int, default=60000)
parser.add_argument("--batch-size", type=int, default=500)
parser.add_argument("--step-size", type=float, default=1e-7)
parser.add_argument("--block", type=int, default=50, help="steps per compiled scan")
arguments = parser.parse_args()

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402

jax.config.update("jax_platforms", "cpu")

rows, batch_size, step_size = arguments.rows, arguments.batch_size, arguments.step_size
shapes = {"B": (784, 100), "b": (100,), "A": (100, 10), "a": (10,)}


def log_likelihood(theta, x, y):
    hidden = jax.nn.sigmoid(x @ theta["B"] + theta["b"])
    scores = jax.nn.log_softmax(hidden @ theta["A"] + theta["a"])
    return jnp.sum(jnp.take_along_axis(scores, y[:, None], axis=1))


def log_prior(theta):
    """Normal weights, Gamma(1, 1) precisions sampled as logarithms with the Jacobian."""
    total = 0.0
    for name in shapes:
        log_precision = theta["log_" + name]
        precision = jnp.exp(log_precision)
        total += 0.5 * theta[name].size * log_precision - 0.5 * precision * jnp.sum(theta[name] ** 2)
        total += -precision + log_precision
    return total


def block(theta, key, x, y):
    next_key, index_key, noise_key = jax.random.split(key, 3)
    indices = jax.random.randint(index_key, (arguments.block, batch_size), 0, rows, dtype=jnp.int32)
    noise_keys = jax.random.split(noise_key, arguments.block)

    def step(theta, drawn):
        index, step_key = drawn
        images = x.at[index].get(mode="promise_in_bounds")
        labels = y.at[index].get(mode="promise_in_bounds")

        def log_posterior(theta):
            return log_prior(theta) + rows / batch_size * log_likelihood(theta, images, labels)

        gradient = jax.grad(log_posterior)(theta)
        leaves, structure = jax.tree.flatten(theta)
        flat = jax.random.normal(step_key, (sum(leaf.size for leaf in leaves),), dtype=jnp.float32)
        normals, first = [], 0
        for leaf in leaves:
            normals.append(flat[first : first + leaf.size].reshape(leaf.shape))
            first += leaf.size
        moved = jax.tree.map(
            lambda value, slope, normal: value + step_size / 2 * slope + step_size**0.5 * normal,
            theta,
            gradient,
            jax.tree.unflatten(structure, normals),
        )
        return moved, None

    theta, _ = jax.lax.scan(step, theta, (indices, noise_keys))
    return theta, next_key


def synthetic(key):
    x = jnp.clip(0.3 * jax.random.normal(key, (rows, 784), dtype=jnp.float32), 0.0, 1.0)
    patches = x[:, :780].reshape(rows, 10, 78)[:, :, :20].sum(axis=2)
    return x, jnp.argmax(patches, axis=1).astype(jnp.int32)


x, y = jax.jit(synthetic)(jax.random.key(1))
theta = {}
for number, (name, shape) in enumerate(shapes.items()):
    theta[name] = 0.1 * jax.random.normal(jax.random.key(10 + number), shape, dtype=jnp.float32)
    theta["log_" + name] = jnp.zeros((), dtype=jnp.float32)
compiled = jax.jit(block, donate_argnums=(0, 1))
state = [theta, jax.random.key(2)]


def run_block():
    state[:] = compiled(state[0], state[1], x, y)
    jax.block_until_ready(state[0])


serve.serve(run_block, steps_per_block=arguments.block)
