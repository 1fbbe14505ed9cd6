// Which categories a URL is in, by which entry and from which list. The URL is in the address of the page.

import type { ReplyOf } from '@gateway/server/contract'
import { categorize } from '@gateway/server/contract/content-filter'
import { type ReactNode, useEffect, useState } from 'react'
import { useRead } from '../../api/reads.ts'
import type { HandPage } from '../../page.ts'
import { useGo, usePlace } from '../../place.ts'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Field } from '../../ui/field.tsx'
import { Link } from '../../ui/link.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Panel } from '../../ui/panel.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { ProblemBox } from '../../ui/problem-box.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { TextInput } from '../../ui/text-input.tsx'
import { heard, t } from '../../words.ts'
import styles from './content-filter.module.css'
import { FoundCategories } from './found-categories.tsx'

const examplePage = 'https://www.example.com/page'

type Found = ReplyOf<typeof categorize>

function LookupPage(): ReactNode {
  const { search } = usePlace()
  const go = useGo()
  const asked = search.url ?? ''
  const [url, setUrl] = useState(asked)
  useEffect(() => setUrl(asked), [asked])
  const read = useRead(categorize, { query: { url: asked }, isEnabled: asked !== '' })
  const refusal = read.error?.problems.find(({ field }) => field === 'url')?.message
  const ask = (): void => {
    const wanted = url.trim()
    if (wanted === asked && asked !== '') void read.refetch()
    else go.setSearch({ url: wanted })
  }
  return (
    <div className={styles.page}>
      <PageHead
        title={t('Look up an address')}
        over={t('Web filter')}
        lead={t('The categories of a site or a page, and the entry and list that say so.')}
      />
      <div className={styles.ask}>
        <div className={styles.wide}>
          <Field
            label={t('Address of a page')}
            hint={t('A whole address, or a name with or without a path.')}
            problem={refusal === undefined || url.trim() !== asked ? undefined : heard(refusal)}
          >
            {(ids) => (
              <TextInput
                {...ids}
                isMono
                autoFocus
                value={url}
                onChange={setUrl}
                onEnter={ask}
                maxLength={2_048}
                placeholder={examplePage}
              />
            )}
          </Field>
        </div>
        <div>
          <Button kind="primary" icon="search" onClick={ask} isDisabled={url.trim() === ''} why={t('Type an address.')}>
            {t('Look up')}
          </Button>
        </div>
      </div>
      <div aria-live="polite" className={styles.stages}>
        {asked === '' ? <Empty title={t('Where does a site belong?')} /> : null}
        {read.error && refusal === undefined ? (
          <ProblemBox failure={read.error} onRetry={() => void read.refetch()} />
        ) : null}
        {asked !== '' && read.data ? <Answer found={read.data.data} /> : null}
        {asked !== '' && read.isPending && !read.error ? <Skeleton lines={4} /> : null}
      </div>
    </div>
  )
}

function Answer({ found }: { readonly found: Found }): ReactNode {
  const { host, path, url, categories } = found
  return (
    <Panel
      title={t('Categories')}
      actions={
        <Link to="protection/web-filter/explain" search={{ url }}>
          {t('What happens to a request there')}
        </Link>
      }
    >
      <Facts>
        <dt>{t('Understood as')}</dt>
        <dd>
          <PlainText text={url} isMono limit={500} />
        </dd>
        <dt>{t('Host')}</dt>
        <dd>
          <PlainText text={host} isMono limit={300} />
        </dd>
        <dt>{t('Path')}</dt>
        <dd>
          <PlainText text={path} isMono limit={500} />
        </dd>
      </Facts>
      <FoundCategories found={categories} />
    </Panel>
  )
}

export const page: HandPage = { kind: 'hand', Component: LookupPage }
