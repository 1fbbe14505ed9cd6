// The names that rules are told with: categories, users, groups, objects.

import { categories } from '@gateway/server/contract/content-filter'
import { listAll } from '@gateway/server/contract/objects'
import { useMemo } from 'react'
import { useRead } from '../../api/reads.ts'
import { categoryName } from '../../util/categories.ts'
import { useLanguage } from '../../words.ts'
import type { Naming } from './sentence.ts'

export function useNaming(): Naming {
  const language = useLanguage()
  const known = useRead(categories.list).data?.data
  const objects = useRead(listAll).data?.data
  return useMemo(() => {
    const names = new Map((known ?? []).map((category) => [category.id, categoryName(category)]))
    const titles = new Map((objects ?? []).map(({ id, title }) => [id, title]))
    return { language, category: (id) => names.get(id) ?? id, object: (id) => titles.get(id) ?? id }
  }, [language, known, objects])
}
