package picture

import (
	"fmt"
	"os"
	"path/filepath"

	"gatewaymeter/internal/picture/scene"
)

// kinds are the kinds of pictures, by the first word of a script's "# draw:".
var kinds = map[string]func(*scene.Scene) (*canvas, error){
	"board":    drawBoard,
	"lives":    drawLives,
	"storm":    drawStorm,
	"channels": drawChannels,
	"replay":   drawReplay,
}

// Draw draws a scene that has been played.
func Draw(s *scene.Scene) ([]byte, error) {
	c, err := lay(s)
	if err != nil {
		return nil, err
	}
	return c.svg(s.Title, s.Desc), nil
}

func lay(s *scene.Scene) (*canvas, error) {
	kind, ok := kinds[s.Draw.Verb]
	if !ok {
		return nil, fmt.Errorf("%s.txt: there is no kind of picture %q", s.Name, s.Draw.Verb)
	}
	c, err := kind(s)
	if err != nil {
		return nil, fmt.Errorf("%s.txt: %w", s.Name, err)
	}
	return c, nil
}

// File is a file as it should be.
type File struct {
	Path    string // below the repository's folder
	Content []byte
}

// Dir is where scripts and pictures stand, below the repository's folder.
const Dir = "docs/pictures"

// Files plays every script of the repository at root, and gives the scripts with their traces, and the
// pictures, as they should be. A script that is locked stays as it is, and its trace must be what it
// says.
func Files(root string) (files []File, err error) {
	scenes, err := scene.ReadAll(filepath.Join(root, Dir))
	if err != nil {
		return nil, err
	}
	for _, s := range scenes {
		if err := s.Play(); err != nil {
			return nil, err
		}
		if s.Locked() {
			if text := s.Differs(); text != "" {
				return nil, fmt.Errorf("its expectations are not our own engine's, so they are not rewritten: %s", text)
			}
		} else {
			files = append(files, File{filepath.Join(Dir, s.Name+".txt"), []byte(s.Text())})
		}
		svg, err := Draw(s)
		if err != nil {
			return nil, err
		}
		files = append(files, File{filepath.Join(Dir, s.Name+".svg"), svg})
	}
	return files, nil
}

// Stale is the files that are not on disk as they should be.
func Stale(root string, files []File) (stale []File) {
	for _, f := range files {
		if on, err := os.ReadFile(filepath.Join(root, f.Path)); err != nil || string(on) != string(f.Content) {
			stale = append(stale, f)
		}
	}
	return stale
}
