"""Row files from Arrow tables and Parquet files."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import sgmcmc as sg

try:
    import pyarrow as arrow
    import pyarrow.dataset
    import pyarrow.parquet
except ImportError:
    arrow = None

MODEL = """data {
  int N;
  int K;
  matrix[N, K] X;
  array[N] int<lower=0, upper=1> y;
  vector[K] scale;
}
parameters {
  vector[K] beta;
}
model {
  beta ~ normal(0, scale);
  y ~ bernoulli_logit(X * beta);
}
"""
ROWS = 5000


class WithoutArrow(unittest.TestCase):
    def test_the_message_says_what_to_install(self):
        code = """if True:
            import sys
            sys.modules["pyarrow"] = None
            import sgmcmc as sg
            try:
                sg.pack(sg.StanModel(code="data { int N; vector[N] x; } parameters { real m; } model { x ~ normal(m, 1); }"), "x.parquet", "x.sgr")
            except ImportError as error:
                print(error)
            """
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        self.assertEqual(done.stdout, "tables are read by pyarrow, which is not installed: pip install pyarrow\n", done.stderr)


@unittest.skipUnless(arrow, "pyarrow is not installed")
class Pack(unittest.TestCase):
    def setUp(self):
        self.shared = tempfile.TemporaryDirectory()
        self.addCleanup(self.shared.cleanup)
        self.folder = pathlib.Path(self.shared.name)
        (self.folder / "model.stan").write_text(MODEL)
        self.model = sg.StanModel(self.folder / "model.stan")
        chance = np.random.default_rng(1)
        self.x = chance.normal(size=(ROWS, 3)).astype(np.float32)
        self.y = (chance.uniform(size=ROWS) < 1 / (1 + np.exp(-self.x[:, 0]))).astype(np.int64)
        self.table = arrow.table({"a": self.x[:, 0], "b": self.x[:, 1], "c": self.x[:, 2], "label": self.y, "name": ["n"] * ROWS})
        self.columns = {"X": ["a", "b", "c"], "y": "label"}
        self.data = {"scale": [1, 1, 1]}

    def pack(self, table, name="rows.sgr", **more):
        return sg.pack(self.model, table, self.folder / name, columns=self.columns, data=self.data, **more)

    def bytes_of(self, table, name):
        self.pack(table, name)
        return (self.folder / name).read_bytes()

    def test_every_kind_of_table_gives_the_same_file(self):
        file = self.folder / "rows.parquet"
        arrow.parquet.write_table(self.table, file, row_group_size=700)
        arrow.parquet.write_table(self.table.slice(0, 1234), self.folder / "first.parquet")
        arrow.parquet.write_table(self.table.slice(1234), self.folder / "second.parquet")
        written = self.bytes_of(file, "file.sgr")
        self.assertEqual(self.bytes_of(str(file), "text.sgr"), written)
        self.assertEqual(self.bytes_of([self.folder / "first.parquet", self.folder / "second.parquet"], "files.sgr"), written)
        self.assertEqual(self.bytes_of(self.table, "table.sgr"), written)
        self.assertEqual(self.bytes_of(self.table.to_batches(max_chunksize=333), "batches.sgr"), written)
        self.assertEqual(self.bytes_of(arrow.dataset.dataset(file), "dataset.sgr"), written)

    def test_the_file_is_that_of_the_program(self):
        np.save(self.folder / "X.npy", self.x)
        np.save(self.folder / "y.npy", self.y)
        (self.folder / "scale.json").write_text('{"scale": [1, 1, 1]}')
        words = ["pack", str(self.folder / "model.stan"), "--data", f"X={self.folder}/X.npy", "--data", f"y={self.folder}/y.npy",
                 "--data", f"{self.folder}/scale.json", "--precision", "float", "--quiet", "--out"]
        sg._core.run_program(words + [str(self.folder / "program.sgr")])
        self.assertEqual(self.bytes_of(self.table, "table.sgr"), (self.folder / "program.sgr").read_bytes())
        sg._core.run_program(words + [str(self.folder / "grouped-program.sgr"), "--group-by", "y"])
        self.pack(self.table, "grouped.sgr", group_by="y")
        self.assertEqual((self.folder / "grouped.sgr").read_bytes(), (self.folder / "grouped-program.sgr").read_bytes())
        with self.assertRaisesRegex(sg.DataError, "'X' has 3 numbers for each row; rows are grouped by an integer variable"):
            self.pack(self.table, "refused.sgr", group_by="X")

    def test_the_file_can_be_sampled(self):
        packed = self.pack(self.table)
        self.assertEqual((packed.rows, packed.columns, packed.continued), (ROWS, {"X": "float32", "y": "int8"}, False))
        settings = dict(method="sgld-cv", step_size=1e-5, iterations=200, chains=1, row_sampling="slices")
        fit = self.model.sample(files=[packed.path], progress=False, **settings)
        self.assertTrue(np.all(np.isfinite(fit["beta"])))

    def test_rows_are_read_from_where_packing_stopped(self):
        for batches in (1, 700, ROWS):
            source = sg._pack._Table(self.table.to_batches(max_chunksize=batches) if batches > 1 else self.table)
            given = list(source.batches(1234, [(["a", "b", "c"], "float32"), ("label", "int32")]))
            np.testing.assert_array_equal(np.concatenate([x for x, _ in given]), self.x[1234:])
            np.testing.assert_array_equal(np.concatenate([y for _, y in given]), self.y[1234:])

    def test_packing_that_failed_begins_anew(self):
        written = self.bytes_of(self.table, "whole.sgr")

        class Stopped(Exception):
            pass

        source = sg._pack._Table(self.table.to_batches(max_chunksize=100))
        every = source.batches

        def some(first, readers):
            for number, batch in enumerate(every(first, readers)):
                if number == 7:
                    raise Stopped
                yield batch

        layout = [("X", "float32", [3]), ("y", "int32", [])]
        readers = [(["a", "b", "c"], "float32"), ("label", "int32")]
        scale = [("scale", np.ones(3))]
        path = str(self.folder / "again.sgr")

        def call(batches):
            return sg._core.pack_batches(path, ROWS, layout, scale, [], lambda first: batches(first, readers), "the table", "same", 1, "", False, None)

        with self.assertRaises(Stopped):
            call(some)
        call(every)
        self.assertEqual(pathlib.Path(path).read_bytes(), written)

    def test_mistakes_are_named(self):
        def refused(pattern, table=None, **more):
            with self.assertRaisesRegex(sg.DataError, pattern):
                sg.pack(self.model, self.table if table is None else table, self.folder / "refused.sgr",
                        **{"columns": self.columns, "data": self.data, **more})

        refused("no column 'z'; the table has a, b, c", columns={"X": ["a", "z"], "y": "label"})
        refused("declares no data 'Z'", columns={"Z": ["a"]})
        refused("'y' as int, but its column holds float", columns={"X": ["a", "b", "c"], "y": "a"})
        refused("a column holds (large_)?string", columns={"X": ["a", "name"], "y": "label"})
        refused("must all be declared with the number of rows as their first size", columns={"X": ["a"], "scale": "b"})
        refused("no column has the name of a variable", columns=None)
        refused("found dict", table={"a": [1]})
        (self.folder / "not.parquet").write_text("no table")
        refused("not.parquet: cannot be read as a Parquet file", table=self.folder / "not.parquet")
        holes = self.table.set_column(1, "b", arrow.array([None if i == 4321 else 1.0 for i in range(ROWS)], arrow.float32()))
        refused("column 'b', row 4322 has no value: missing values cannot be used", table=holes)
        wrong = self.table.set_column(0, "a", arrow.array(np.where(np.arange(ROWS) == 77, np.nan, 1.0)))
        refused("'X': row 78, element 1 is .*finite numbers", table=wrong)
        large = self.table.set_column(3, "label", arrow.array(np.where(np.arange(ROWS) == 5, 2**40, 1)))
        refused("'y': row 6 is 1099511627776; integers are whole numbers within 32 bits", table=large)

    def test_lists_of_fixed_length_are_rows_of_a_matrix(self):
        lists = arrow.FixedSizeListArray.from_arrays(arrow.array(self.x.ravel()), 3)
        written = self.bytes_of(self.table, "columns.sgr")
        self.columns = {"X": "list", "y": "label"}
        self.assertEqual(self.bytes_of(arrow.table({"list": lists, "label": self.y}), "list.sgr"), written)


if __name__ == "__main__":
    unittest.main()
