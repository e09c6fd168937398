// Handles mapped files that are truncated, or whose disk fails, while they are read: the system then sends SIGBUS.
#pragma once

namespace sgmcmc {

class MappedFile;

/// The currently mapped files, up to 64; further files are not tracked.
void add_mapped_file(const MappedFile& file);
void remove_mapped_file(const MappedFile& file);

/// Does the same as an access to pages of the file that are no longer there: for a file that was cut within a page,
/// whose rest would read as zeros.
[[noreturn]] void end_with_lost_file(const MappedFile& file);

/// From now on, if a mapped file can no longer be read, the program ends with status 1 and a message that names the
/// file. For programs, not for libraries inside other programs. This is the only global state, because signal handlers
/// can reach no other.
void end_when_a_file_is_lost();
/// For libraries inside other programs: writes the same message, then calls the previous handler, which normally ends
/// the process.
void name_files_that_are_lost();

}  // namespace sgmcmc
