//go:build tools

// What go.mod pins: the linter of GitHub's workflows. 1.7.7 is the last version that Debian 12's Go builds.
package tools

import _ "github.com/rhysd/actionlint/cmd/actionlint"
