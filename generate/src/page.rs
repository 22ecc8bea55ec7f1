//! `docs/src/coverage.md`: the test coverage.

use crate::Project;
use crate::coverage;
use crate::jobs::MARK;

/// Returns the page: the targets' axes, then the operations.
pub fn coverage(project: &Project, operations: &str) -> String {
    let targets = coverage::table(&project.schema, &project.targets);
    let mut page = format!(
        "<!-- {MARK} -->\n\n\
         # Coverage\n\n\
         What the automation runs, and what the conformance suite compares. A value or a combination that nothing tests \
         is shown as a hole.\n\n\
         ## Targets\n\n\
         Each column is one job: its script and its image are `ci/jobs/<target>.sh` and `ci/jobs/<target>.Dockerfile`.\n\n\
         {targets}"
    );
    if !operations.is_empty() {
        page.push_str("\n## Operations\n\n");
        page.push_str(operations);
    }
    page
}
