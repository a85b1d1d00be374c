"""The package's release: platforms/packages/version.py writes what VERSION says."""
__version__ = "0.9.0"
