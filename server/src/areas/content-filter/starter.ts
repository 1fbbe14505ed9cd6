// The starter set of categories: for every topic a reserved name and a reserved page, so that rules can be tried without any
// list, and a few well-known sites for what depends on them: posting in social networks, uploads to file sharing, safe search.

import { slugOf, topicCategories } from './list-folders.ts'

/** Reserved for documentation and tests (RFC 6761), so it is never a site. */
const reserved = 'category.example'

/** Neutral: the large services of each kind, in the order of the alphabet. */
const wellKnown: Readonly<Record<string, string>> = {
  'Social networks':
    'bsky.app facebook.com instagram.com linkedin.com mastodon.social ok.ru pinterest.com reddit.com snapchat.com threads.net ' +
    'tiktok.com tumblr.com twitter.com vk.com vk.ru weibo.com x.com',
  'File sharing':
    '4shared.com filemail.com gofile.io mediafire.com mega.io mega.nz pixeldrain.com rapidgator.net sendspace.com ' +
    'transfer.sh wetransfer.com',
  'File storage':
    'box.com cloud.mail.ru disk.yandex.com disk.yandex.ru drive.google.com dropbox.com icloud.com onedrive.live.com pcloud.com',
  'Search engines':
    'bing.com duckduckgo.com ecosia.org google.com google.ru qwant.com search.yahoo.com startpage.com ya.ru yandex.com yandex.ru',
}

export interface StarterFile {
  readonly file: string
  readonly category: string
  readonly entries: readonly string[]
}

export const starterLists: readonly StarterFile[] = topicCategories.flatMap(({ id, name }) => {
  const slug = slugOf(name)
  return [
    {
      file: `${slug}/domains`,
      category: id,
      entries: [`${slug}.${reserved}`, ...(wellKnown[name]?.split(' ') ?? [])],
    },
    { file: `${slug}/urls`, category: id, entries: [`${reserved}/${slug}`] },
  ]
})

/** For the test of the table. */
export const wellKnownNames = wellKnown
