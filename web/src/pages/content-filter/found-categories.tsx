// Categories that were found for a URL, each with the entry and the list it comes from.

import type { ReplyOf } from '@gateway/server/contract'
import type { categorize } from '@gateway/server/contract/content-filter'
import type { ReactNode } from 'react'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { categoryName, categoryTypeWords, isOwnCategory, typeOfCategory } from '../../util/categories.ts'
import { t } from '../../words.ts'
import styles from './content-filter.module.css'

export type FoundCategory = ReplyOf<typeof categorize>['categories'][number]

export function FoundCategories({ found }: { readonly found: readonly FoundCategory[] }): ReactNode {
  if (found.length === 0) return <p className={styles.quiet}>{t('It is in no category.')}</p>
  return (
    <div className={styles.scroll}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">{t('Category')}</th>
            <th scope="col">{t('Type')}</th>
            <th scope="col">{t('Entry')}</th>
            <th scope="col">{t('List')}</th>
          </tr>
        </thead>
        <tbody>
          {found.map((category) => (
            <tr key={`${category.id} ${category.entry ?? ''}`}>
              <td>
                <CategoryLink category={category} />
              </td>
              <td>{t(categoryTypeWords[typeOfCategory(category.id)])}</td>
              <td className={styles.long}>
                {category.entry === null ? '' : <PlainText text={category.entry} isMono limit={300} />}
              </td>
              <td className={styles.long}>
                {category.source === null ? '' : <PlainText text={category.source} limit={200} />}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function CategoryLink({ category }: { readonly category: FoundCategory }): ReactNode {
  const name = <PlainText text={categoryName(category)} limit={100} />
  if (!isOwnCategory(category.id)) return name
  return <Link to={`protection/web-filter/own-categories/${encodeURIComponent(category.id)}`}>{name}</Link>
}
