// Package scratch makes the folders in which this program works for a while, and that are of no use to
// anybody once its process is gone.
//
// What it promises: remove deletes such a folder; and where there was nobody to call remove (kill -9, a
// power cut, a function that never returned so that the process had to be ended), the next process that
// makes one deletes it. A folder belongs to a process as long as that holds the lock of the file LOCK in
// it, which the system lets go when the process ends, however it ends. So a folder in which somebody is at
// work is never deleted, and nobody needs to know whether a process id was used again.
//
// The same lock keeps two runs out of a folder that stays, such as that of a job's checkpoints: see Claim.
//
// It leaves to others what goes into a folder, and a single file that is made beside the one it replaces.
package scratch
