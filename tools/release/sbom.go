// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

type object = map[string]any

// sbom returns the bill of materials of programs of one module in SPDX 2.3: the modules of their build information.
func (r *release) sbom(name string, infos []*debug.BuildInfo) ([]byte, error) {
	info, versions := infos[0], map[string]string{}
	packages := []object{{"SPDXID": "SPDXRef-tristate", "name": info.Main.Path, "versionInfo": r.version, "downloadLocation": "NOASSERTION",
		"filesAnalyzed":    false,
		"licenseConcluded": "Apache-2.0", "licenseDeclared": "Apache-2.0", "copyrightText": "NOASSERTION",
		"externalRefs": []object{purl(info.Main.Path, r.version)}}}
	relations := []object{{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-tristate"}}
	add := func(path, version string) {
		id := fmt.Sprintf("SPDXRef-module-%d", len(packages))
		packages = append(packages, object{"SPDXID": id, "name": path, "versionInfo": version, "downloadLocation": "NOASSERTION",
			"filesAnalyzed":    false,
			"licenseConcluded": "NOASSERTION", "licenseDeclared": "NOASSERTION", "copyrightText": "NOASSERTION",
			"externalRefs": []object{purl(path, version)}})
		relations = append(relations, object{"spdxElementId": "SPDXRef-tristate", "relationshipType": "DEPENDS_ON", "relatedSpdxElement": id})
	}
	add("stdlib", strings.TrimPrefix(info.GoVersion, "go"))
	for _, info := range infos {
		for _, m := range info.Deps {
			if m.Replace != nil {
				m = m.Replace
			}
			versions[m.Path] = m.Version // of one module, which has one version of each
		}
	}
	for _, path := range slices.Sorted(maps.Keys(versions)) {
		add(path, versions[path])
	}
	return indented(object{"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": name,
		"documentNamespace": "https://tristate.dev/spdx/" + name + "/" + r.commit,
		"creationInfo":      object{"created": r.time.Format(time.RFC3339), "creators": []string{"Tool: tristate-release"}},
		"packages":          packages, "relationships": relations})
}

func purl(path, version string) object {
	return object{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": "pkg:golang/" + path + "@" + version}
}

// statement ends the name of the provenance.
const statement = ".intoto.jsonl"

// provenance writes an in-toto statement about every file: built from which commit, by which steps, with which Go.
func (r *release) provenance(sums map[string]string) error {
	subjects := []object{}
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		subjects = append(subjects, object{"name": name, "digest": object{"sha256": sums[name]}})
	}
	source := object{"uri": "git+https://github.com/tristate/tristate"}
	if r.tagged {
		source["uri"] = "git+https://github.com/tristate/tristate@refs/tags/" + r.version
	}
	if r.commit != "" {
		source["digest"] = object{"gitCommit": r.commit}
	}
	platforms := make([]string, len(r.platforms))
	for i, p := range r.platforms {
		platforms[i] = p.String()
	}
	info, _ := debug.ReadBuildInfo()
	data, err := json.Marshal(object{"_type": "https://in-toto.io/Statement/v1", "predicateType": "https://slsa.dev/provenance/v1",
		"subject": subjects,
		"predicate": object{
			"buildDefinition": object{"buildType": "https://tristate.dev/make-release/v1", "externalParameters": object{"version": r.version,
				"platforms": platforms},
				"internalParameters": object{"go": info.GoVersion}, "resolvedDependencies": []object{source}},
			"runDetails": object{"builder": object{"id": "https://tristate.dev/make-release/v1"},
				"metadata": object{"startedOn": r.time.Format(time.RFC3339)}}}})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.out, "tristate_"+r.version+statement), append(data, '\n'), 0o644)
}

func indented(value any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	err := e.Encode(value)
	return b.Bytes(), err
}

// checksums returns the SHA-256 sums of the files of a directory, without those that are made of the sums.
func checksums(dir string) (map[string]string, error) {
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		name := filepath.Base(path)
		if entry != nil && entry.IsDir() && path != dir {
			return fs.SkipDir
		}
		if err != nil || entry.IsDir() || name == "checksums.txt" || strings.HasSuffix(name, statement) {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(data)
		out[name] = hex.EncodeToString(sum[:])
		return nil
	})
	return out, err
}

// writeSums writes checksums as sha256sum -c reads them.
func writeSums(file string, sums map[string]string) error {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		fmt.Fprintf(&b, "%s  %s\n", sums[name], name)
	}
	return os.WriteFile(file, []byte(b.String()), 0o644)
}
