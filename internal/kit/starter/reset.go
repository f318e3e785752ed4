package starter

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"gatewaymeter/internal/kit/course"
)

// ResetLab puts a lab's starter back to what its solution gives, files of the student's own
// included, and returns where the old files are.
func ResetLab(repo *course.Repo, lab *course.Lab) (backup string, err error) {
	return Write(repo, lab)
}

// ResetExercise puts the regions of one exercise back and leaves the rest of the student's files as
// it is. It returns where the old files are, and the files that it changed. A file whose markers are
// gone is an error: nothing is changed then.
func ResetExercise(repo *course.Repo, lab *course.Lab, id string) (backup string, changed []string, err error) {
	files, err := Generate(repo, lab)
	if err != nil {
		return "", nil, err
	}
	var writes []File
	for _, f := range files {
		fresh, err := regionsOf(f.Name, f.Text, id)
		if err != nil {
			return "", nil, err
		}
		if len(fresh) == 0 {
			continue
		}
		path := filepath.Join(lab.Starter(), f.Name)
		old, err := os.ReadFile(path)
		if err != nil {
			return "", nil, fmt.Errorf("%w; `go tool lab reset %02d` puts the whole lab back", err, lab.Number)
		}
		text, err := replaceRegions(repo, repo.Rel(path), old, f.Text, id, fresh)
		if err != nil {
			return "", nil, fmt.Errorf("%w; `go tool lab reset %02d` puts the whole lab back", err, lab.Number)
		}
		if !bytes.Equal(text, old) {
			writes = append(writes, File{Name: f.Name, Text: text})
		}
	}
	if len(writes) == 0 {
		return "", nil, nil
	}
	if backup, err = Backup(repo, lab); err != nil {
		return "", nil, err
	}
	for _, w := range writes {
		path := filepath.Join(lab.Starter(), w.Name)
		if err := os.WriteFile(path, w.Text, 0o644); err != nil {
			return backup, changed, err
		}
		changed = append(changed, repo.Rel(path))
	}
	return backup, changed, nil
}

// regionsOf are the regions of one exercise in a file.
func regionsOf(file string, text []byte, id string) ([]Region, error) {
	all, err := Regions(file, text)
	if err != nil {
		return nil, err
	}
	var mine []Region
	for _, r := range all {
		if r.Exercise == id {
			mine = append(mine, r)
		}
	}
	return mine, nil
}

// replaceRegions puts the fresh regions of an exercise into the student's text. If the result parses,
// its imports are put right as well; if not, the student has an error elsewhere to mend first.
func replaceRegions(repo *course.Repo, file string, old, generated []byte, id string, fresh []Region) ([]byte, error) {
	mine, err := regionsOf(file, old, id)
	if err != nil {
		return nil, err
	}
	if len(mine) != len(fresh) {
		return nil, fmt.Errorf("%s has %d regions of %s between markers, where the fresh file has %d", file, len(mine), id, len(fresh))
	}
	var out bytes.Buffer
	at := 0
	for i, r := range mine {
		out.Write(old[at:r.from])
		out.Write(generated[fresh[i].from:fresh[i].to])
		at = r.to
	}
	out.Write(old[at:])
	if fixed, err := fixImports(repo, file, out.Bytes()); err == nil {
		return fixed, nil
	}
	return out.Bytes(), nil
}
