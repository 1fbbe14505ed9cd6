import { createRoot } from 'react-dom/client'
import { preferredLanguage, speak, t } from './words.ts'

await speak(preferredLanguage())
const root = document.getElementById('root')
if (root) createRoot(root).render(<p>{t('Loading')}</p>)
