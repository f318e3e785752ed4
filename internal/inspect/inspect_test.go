package inspect

import (
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gatewaymeter/pipeline"
)

func publish(t *testing.T, dir, name string, started time.Time) *Publication {
	t.Helper()
	p, err := Publish(dir, Job{Name: name, Started: started}, func() []pipeline.Waiting {
		return []pipeline.Waiting{{Task: name, Subtask: 3}}
	})
	require.NoError(t, err)
	return p
}

// leave writes the note of a run that has not taken it away.
func leave(t *testing.T, dir string, job Job) string {
	t.Helper()
	text, err := json.Marshal(job)
	require.NoError(t, err)
	note := filepath.Join(dir, job.ID+".json")
	require.NoError(t, os.WriteFile(note, text, 0o600))
	return note
}

func TestRunsAreFoundAndAsked(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "jobs")
	running, dead, err := Find(t.Context(), dir)
	require.NoError(t, err)
	require.Empty(t, running)
	require.Empty(t, dead)

	second := publish(t, dir, "second", time.Unix(2, 0))
	first := publish(t, dir, "first", time.Unix(1, 0))
	running, dead, err = Find(t.Context(), dir)
	require.NoError(t, err)
	require.Empty(t, dead)
	require.Equal(t, []string{"first", "second"}, []string{running[0].Name, running[1].Name})

	answer, err := Ask(t.Context(), running[1].Address)
	require.NoError(t, err)
	require.Equal(t, second.ID, answer.ID)
	require.Equal(t, []pipeline.Waiting{{Task: "second", Subtask: 3}}, answer.Waiting)

	require.NoError(t, first.Close())
	require.NoError(t, second.Close())
	require.NoDirExists(t, dir)
	_, err = Ask(t.Context(), running[0].Address)
	require.ErrorContains(t, err, "no job answers on "+running[0].Address)
}

// A run that was killed leaves its note. Nobody listens on its port, or somebody else by now.
func TestNotesOfDeadRunsAreTakenAway(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Chmod(dir, 0o700))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, l.Close())
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	alive := publish(t, dir, "alive", time.Unix(1, 0))
	defer func() { require.NoError(t, alive.Close()) }()
	notes := []string{
		leave(t, dir, Job{ID: "nobody", Address: l.Addr().String()}),
		leave(t, dir, Job{ID: "another-program", Address: other.Listener.Addr().String()}),
		leave(t, dir, Job{ID: "another-run", Address: alive.Address}),
	}
	running, dead, err := Find(t.Context(), dir)
	require.NoError(t, err)
	require.Len(t, dead, 3)
	require.Len(t, running, 1)
	require.Equal(t, alive.ID, running[0].ID)
	for _, note := range notes {
		require.NoFileExists(t, note)
	}
}

func TestOnlyThisMachineAndThisUser(t *testing.T) {
	for _, address := range []string{"192.0.2.1:80", "example.org:80", "127.0.0.1"} {
		_, err := Ask(t.Context(), address)
		require.ErrorContains(t, err, "127.0.0.1:PORT", address)
	}
	open := t.TempDir()
	require.NoError(t, os.Chmod(open, 0o777))
	_, err := Publish(open, Job{}, nil)
	require.ErrorContains(t, err, "only you can use")
	_, _, err = Find(t.Context(), open)
	require.ErrorContains(t, err, "only you can use")

	// A browser that was led to the port by another name is refused.
	p := publish(t, filepath.Join(t.TempDir(), "jobs"), "job", time.Unix(1, 0))
	defer func() { require.NoError(t, p.Close()) }()
	request, err := http.NewRequest(http.MethodGet, "http://"+p.Address+"/job", nil)
	require.NoError(t, err)
	request.Host = "example.org"
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusForbidden, response.StatusCode)
}

func TestWhatIsNoNoteIsNamed(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Chmod(dir, 0o700))
	note := filepath.Join(dir, "x.json")
	require.NoError(t, os.WriteFile(note, []byte("{"), 0o600))
	_, _, err := Find(t.Context(), dir)
	require.ErrorContains(t, err, note+" is no note of a job")
}
