"""The Python reference of the site, generated from the package, the doc comments of the crate and a list of examples."""
