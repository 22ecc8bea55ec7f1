//! Writes the CI jobs and the coverage pages from ci/schema.yaml and matrix.yaml.
