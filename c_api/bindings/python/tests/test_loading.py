"""The package and its library."""
import os
import unittest

import rondo
from support import MODEL, python


class LoadingTest(unittest.TestCase):
    def test_b01_versions(self):
        self.assertEqual(rondo.__version__, os.environ["RONDO_TEST_VERSION"])
        self.assertEqual(rondo.library_version(), os.environ["RONDO_TEST_VERSION"])
        self.assertEqual(rondo.query("abi.version"), rondo.ABI_VERSION)
        with self.assertRaises(rondo.RondoError):
            rondo.query("no such thing")

    def test_b02_a_missing_library_is_told(self):
        code, said = python("import rondo", RONDO_LIBRARY="/absent/librondo.so")
        self.assertEqual(code, 1)
        for words in ("ImportError", "/absent/librondo.so", "RONDO_LIBRARY", "pip install"):
            self.assertIn(words, said)
        code, said = python("import rondo", RONDO_LIBRARY=__file__)  # is there, and no library
        self.assertIn("ImportError", said)
        self.assertIn(__file__, said)

    def test_b02_another_library_is_told(self):
        code, said = python("import rondo", RONDO_LIBRARY="libm.so.6")
        self.assertEqual(code, 1)
        self.assertIn("libm.so.6 is no library of Rondo", said)

    def test_b03_a_second_load(self):
        code, said = python(
            "import sys, rondo\n"
            "first = rondo.Model(sys.argv[1])\n"
            "for name in [n for n in sys.modules if n.split('.')[0] == 'rondo']:\n"
            "    del sys.modules[name]\n"
            "import rondo as again\n"
            "assert again is not rondo or again.Model is not type(first)\n"
            "second = again.Model(sys.argv[1])\n"
            "assert second.engine(context=64).session(max_tokens=2).generate('Once')\n"
            "assert first.engine(context=64).session(max_tokens=2).generate('Once')\n", MODEL)
        self.assertEqual((code, said), (0, ""))

    def test_everything_public_has_a_doc_and_a_signature(self):
        import inspect
        for name in rondo.__all__:
            value = getattr(rondo, name)
            if not inspect.isclass(value):
                continue
            self.assertTrue(value.__doc__, name)
            for method, function in inspect.getmembers(value, inspect.isfunction):
                if method.startswith("_") or not function.__module__.startswith("rondo"):
                    continue
                self.assertTrue(function.__doc__, f"{name}.{method}")
                kinds = {p.kind for p in inspect.signature(function).parameters.values()}
                self.assertNotIn(inspect.Parameter.VAR_KEYWORD, kinds, f"{name}.{method}")


if __name__ == "__main__":
    unittest.main()
