// Sentences of the gateway about packages and upgrades, so that they are translated. Pure.

import { learn, msg } from '../../words.ts'

/** What it says word by word, also inside of longer sentences. */
export const sentences: readonly string[] = [
  msg(
    'This gateway was not installed as a package, so it cannot install updates. Update the folder that it was started from.',
  ),
  msg('This release cannot install databases from an archive, so it accepts none. Nothing was changed.'),
  msg('The file is not a tar archive.'),
  msg('The package is not signed, so it cannot be installed as an update.'),
  msg('The signature of the package is broken: the file was changed after it was signed, or damaged on its way.'),
  msg('The file is larger than 256 MB. A package of this gateway is smaller.'),
  msg('The file is an ISO image. Updates of this gateway are signed packages (.deb).'),
  msg('The package cannot be stored: the disk is full or failing.'),
  msg('Another package is being received. Try again later.'),
  msg('An upgrade is running. Wait until it has ended.'),
  msg('Another upgrade is running. Wait until it has ended.'),
  msg('No package has been uploaded.'),
  msg('There is no uploaded package.'),
  msg('The package is not the one that was uploaded.'),
  msg('The package is not the one that was asked for.'),
  // Why a file is not a package.
  msg('it is larger than 256 MB'),
  msg('it does not begin like one'),
  msg('it ends too early'),
  msg('it ends in the middle of a member'),
  msg('something follows its signature'),
  msg('a member of it has a broken header'),
  msg('it has members that do not belong into one'),
  msg('a member of it has a wrong size'),
  // Why an upgrade did not go on.
  msg('It was interrupted before anything was changed.'),
  msg('The API could not be stopped, so its state could not be copied.'),
  msg('The stored configuration has another format by now.'),
  msg('There is no copy of the state.'),
  msg('The disk is full.'),
  // What was missing after the start.
  msg('The API is not ready.'),
  msg('The API does not answer.'),
  msg('The configuration is not in force.'),
  msg('The rules are not in the kernel.'),
  msg('It was not looked at.'),
  msg('A process ended again and again.'),
  msg('the present configuration'),
]

/** What it says with values in it. A sentence that holds another one is before it. */
const patterns: readonly string[] = [
  msg('The file is not an update package: {why}.'),
  msg('The package is signed with the key {key}, which this gateway does not trust.'),
  msg('The package is for {offered}, and this machine is {architecture}.'),
  msg('The package has version {version}, which is older than the installed {installed}.'),
  msg('The package is an older build of version {version}, {offered}; installed is that of {installed}.'),
  msg('The package cannot read the stored configuration: its format is {format}, and {stored} is stored.'),
  msg('The package is not what its signature says ({field}).'),
  msg('There is no other version to go back to than the installed {version}.'),
  msg('The upgrade could not be started: {output}'),
  msg('The gateway was upgraded from {from} to {to}.'),
  msg('The gateway went back from {from} to {to}, with {what}.'),
  msg('Version {to} was taken back, and {from} is in use again. {why}'),
  msg('Version {to} was not installed. {why}'),
  msg('Neither {to} nor {from} came up. {why} After the return: {missing}'),
  msg('The new version did not come up: {missing}'),
  msg('Version {to} did not come up: {missing}'),
  msg('{missing} It was restarted {count} times.'),
  msg('portcullis-applyd.service is {state}.'),
  msg('portcullis-gatewayd.service is {state}.'),
  msg('The configuration is that of revision {now}, and it was {before} before.'),
  msg('It cannot read the stored configuration: its format is {format}, and {stored} is stored.'),
  msg('The disk of {folder} has too little room: {size} MB are needed.'),
  msg('The new version needs Debian packages that are not installed and could not be fetched: {packages}. {output}'),
  msg('dpkg could not install version {version}: {output}'),
  msg('dpkg left version {found} instead of {version}.'),
  msg('The installed version could not be kept for the way back: {output}'),
  msg('The state could not be copied: {output}'),
  msg('the state of {time}'),
]

learn(patterns)
