// The forms that an entry of an own category can have, and what each covers.

import type { ReactNode } from 'react'
import { msg, t } from '../../words.ts'
import styles from './content-filter.module.css'

const forms: readonly (readonly [entry: string, meaning: string])[] = [
  ['192.0.2.7', msg('That address')],
  ['example.com', msg('The domain and all its subdomains')],
  ['*.example.com', msg('Only its subdomains')],
  ['www.example.com', msg('That host and what is below it')],
  ['https://www.example.com:8080', msg('That host with this scheme and port')],
  ['www.example.com/home', msg('Pages below that path; of HTTPS only when it is decrypted')],
  ['bücher.example', msg('A name with other letters, stored as it is written')],
]

export function EntryForms(): ReactNode {
  return (
    <details className={styles.forms}>
      <summary>{t('How an entry is written')}</summary>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">{t('Entry')}</th>
            <th scope="col">{t('What it covers')}</th>
          </tr>
        </thead>
        <tbody>
          {forms.map(([entry, meaning]) => (
            <tr key={entry}>
              <td className={styles.mono}>{entry}</td>
              <td>{t(meaning)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p>
        {t(
          'An entry for a part of a site, in whichever category, takes that part out of the entry for the whole site: with example.com here and www.example.com elsewhere, www.example.com belongs there alone.',
        )}
      </p>
    </details>
  )
}
