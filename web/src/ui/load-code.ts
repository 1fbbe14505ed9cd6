// Code that is fetched when it is needed. The gateway ends connections that are idle or whose session is over, and a browser that
// meets several such ones in a row gives a file up: what did not come is asked for again before anything is called broken.

const tries = 4

/** Told when a file did not come at all, as after an update took it away. */
export const codeLost = 'portcullis-code-lost'

/** Around every `import()`: `loadCode(() => import('./view.tsx'))`. */
export async function loadCode<Module>(load: () => Promise<Module>): Promise<Module> {
  let ask = load
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ask()
    } catch (error) {
      if (attempt === tries) {
        window.dispatchEvent(new Event(codeLost))
        throw error
      }
      ask = await askAgain(error, attempt, ask)
    }
  }
}

/** The loader of the build asks for a style only once, and the browser for a module: the error names the one that did not come. */
async function askAgain<Module>(
  error: unknown,
  attempt: number,
  ask: () => Promise<Module>,
): Promise<() => Promise<Module>> {
  const message = error instanceof Error ? error.message : ''
  const [, kind, address = ''] = /(preload CSS for|imported module:) (\S+)$/.exec(message) ?? []
  if (kind === undefined) return ask
  const url = new URL(address, location.href)
  if (kind.includes('CSS')) {
    await styleAgain(url.href)
    return ask
  }
  url.searchParams.set('again', String(attempt))
  return () => import(/* @vite-ignore */ url.href) as Promise<Module>
}

async function styleAgain(href: string): Promise<void> {
  for (let attempt = 1; attempt < tries; attempt += 1) {
    for (const dead of document.querySelectorAll<HTMLLinkElement>('link[rel="stylesheet"]'))
      if (dead.href === href) dead.remove()
    if (await addStyle(href)) return
  }
}

function addStyle(href: string): Promise<boolean> {
  const link = document.createElement('link')
  link.rel = 'stylesheet'
  link.crossOrigin = ''
  link.href = href
  return new Promise((resolve) => {
    link.addEventListener('load', () => resolve(true))
    link.addEventListener('error', () => resolve(false))
    document.head.append(link)
  })
}
