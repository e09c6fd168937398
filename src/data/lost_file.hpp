// What happens when a mapped file is cut, or its disk fails, while it is read: the system sends SIGBUS.
#pragma once

namespace sgmcmc {

class MappedFile;

/// Files that are mapped now. One beyond the first 64 is not known.
void add_mapped_file(const MappedFile& file);
void remove_mapped_file(const MappedFile& file);

/// From now on, the program ends with status 1 and a message that names the file, where a mapped file can no longer be
/// read. For programs, not for libraries within others. The only global state, because handlers can reach no other.
void end_when_a_file_is_lost();
/// For libraries within other programs: writes the same message, and leaves the rest to the handler there was before,
/// which normally ends the process.
void name_files_that_are_lost();

}  // namespace sgmcmc
