// The eight groups of files (docs/behaviour/content-filter.md 2), by the extension of the path and by the type of the reply.
// Pure.

import { canonicalPath } from './hosts.ts'

interface Group {
  readonly id: string
  readonly extensions: string
  readonly types: string
}

const groups: readonly Group[] = [
  {
    id: 'files.id.1',
    extensions:
      'exe com scr pif bat cmd msi msp msix appx appimage vbs vbe wsf wsh ps1 psm1 jar apk ipa deb rpm dmg pkg run',
    types:
      'application/x-msdownload application/x-dosexec application/x-msdos-program application/x-ms-installer application/x-msi application/vnd.microsoft.portable-executable application/x-executable application/x-elf application/x-sharedlib application/x-mach-binary application/java-archive application/x-java-archive application/vnd.android.package-archive application/vnd.debian.binary-package application/x-debian-package application/x-rpm application/x-redhat-package-manager application/x-apple-diskimage application/x-exe application/exe application/x-winexe application/x-bat application/x-powershell',
  },
  {
    id: 'files.id.2',
    extensions: 'zip rar 7z tar gz tgz bz2 tbz tbz2 xz txz zst lz lzma lz4 z cab arj lzh lha ace iso img',
    types:
      'application/zip application/x-zip application/x-zip-compressed application/vnd.rar application/x-rar application/x-rar-compressed application/x-7z-compressed application/x-tar application/gzip application/x-gzip application/x-bzip application/x-bzip2 application/x-xz application/zstd application/x-lzma application/x-lzip application/x-compress application/x-compressed application/vnd.ms-cab-compressed application/x-arj application/x-lzh-compressed application/x-iso9660-image',
  },
  {
    id: 'files.id.3',
    extensions:
      'mp4 m4v mkv avi mov qt wmv mpg mpeg mpe m2v webm 3gp 3g2 ts m2ts mts vob ogv asf rm rmvb divx m3u8 mpd',
    types:
      'video/* application/vnd.apple.mpegurl application/x-mpegurl application/dash+xml application/vnd.rn-realmedia application/vnd.ms-asf',
  },
  {
    id: 'files.id.4',
    extensions: 'mp3 wav flac ogg oga opus aac m4a wma aif aiff mid midi amr ape ra m3u pls',
    types: 'audio/* application/ogg application/x-scpls',
  },
  {
    id: 'files.id.5',
    extensions: 'flv f4v f4p f4a f4b swf',
    types:
      'video/x-flv video/flv video/x-f4v video/mp4-flv application/x-shockwave-flash application/vnd.adobe.flash.movie',
  },
  {
    id: 'files.id.6',
    extensions: 'ocx',
    types: 'application/x-oleobject application/x-cabinet-activex application/olescript application/x-activex',
  },
  { id: 'files.id.7', extensions: 'torrent', types: 'application/x-bittorrent application/x-torrent' },
  {
    id: 'files.id.8',
    extensions:
      'doc docx docm dot dotx xls xlsx xlsm xlsb xlt xltx ppt pptx pptm pps ppsx pot potx odt ods odp odg odf rtf pdf djvu djv epub fb2 csv vsd vsdx pub mdb accdb',
    types:
      'application/pdf application/msword application/rtf text/rtf application/vnd.ms-excel application/vnd.ms-powerpoint application/vnd.ms-word.document.macroenabled.12 application/vnd.ms-excel.sheet.macroenabled.12 application/vnd.ms-excel.sheet.binary.macroenabled.12 application/vnd.ms-powerpoint.presentation.macroenabled.12 application/vnd.openxmlformats-officedocument.wordprocessingml.document application/vnd.openxmlformats-officedocument.wordprocessingml.template application/vnd.openxmlformats-officedocument.spreadsheetml.sheet application/vnd.openxmlformats-officedocument.spreadsheetml.template application/vnd.openxmlformats-officedocument.presentationml.presentation application/vnd.openxmlformats-officedocument.presentationml.slideshow application/vnd.openxmlformats-officedocument.presentationml.template application/vnd.oasis.opendocument.text application/vnd.oasis.opendocument.spreadsheet application/vnd.oasis.opendocument.presentation application/vnd.oasis.opendocument.graphics application/vnd.visio application/vnd.ms-access image/vnd.djvu application/epub+zip text/csv',
  },
]

export const fileGroups: readonly string[] = groups.map(({ id }) => id)

const byExtension = mapOf(({ extensions }) => extensions)
const byType = mapOf(({ types }) => types)

function mapOf(wordsOf: (group: Group) => string): ReadonlyMap<string, readonly string[]> {
  const map = new Map<string, string[]>()
  for (const group of groups)
    for (const word of wordsOf(group).split(' ')) map.set(word, [...(map.get(word) ?? []), group.id])
  return map
}

const none: readonly string[] = []
const longestName = 4_096

/** By the last segment of the path, without parameters. */
export function groupsOfPath(path: string): readonly string[] {
  const query = path.indexOf('?')
  const plain = query < 0 ? path : path.slice(0, query)
  const whole = canonicalPath(plain.slice(-longestName))
  const segment = whole.slice(whole.lastIndexOf('/') + 1)
  const [name = ''] = segment.split(';', 1)
  let end = name.length
  // Windows leaves dots and spaces at the end of a name out.
  while (end > 0 && (name.charCodeAt(end - 1) === 46 || name.charCodeAt(end - 1) === 32)) end--
  const dot = name.lastIndexOf('.', end - 1)
  return dot < 0 ? none : (byExtension.get(name.slice(dot + 1, end).toLowerCase()) ?? none)
}

/** Of a type in lower case, without parameters. */
export function groupsOfType(type: string): readonly string[] {
  const exact = byType.get(type)
  const kind = byType.get(`${type.slice(0, type.indexOf('/'))}/*`)
  return exact === undefined ? (kind ?? none) : kind === undefined ? exact : [...new Set([...exact, ...kind])]
}
