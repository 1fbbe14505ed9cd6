// The title of the tab: page, host, brand. Tabs of several gateways are told apart by it.

import { useEffect } from 'react'
import { useSession } from '../api/session.ts'
import { pages } from '../pages/index.ts'
import { usePlace } from '../place.ts'
import { t, useLanguage } from '../words.ts'

export function useTitle(): void {
  const { path, item } = usePlace()
  const { hostName } = useSession()
  const language = useLanguage()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the language decides what t() gives
  useEffect(() => {
    const title = pages.find((page) => page.path === path)?.title
    const parts = [item, title === undefined ? null : t(title), hostName, 'Portcullis']
    document.title = parts.filter((part) => part !== null && part !== '').join(' · ')
  }, [path, item, hostName, language])
}
