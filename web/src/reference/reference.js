// @ts-check
// Reads /openapi.json and shows it as the reference at /docs. The page runs under a policy that forbids making markup
// of strings, so everything here is elements and text; words that hold for every operation are in index.html.

/** @import { Components, Description, Header, Operation, Parameter, Path, Schema } from './openapi.d.ts' */
/** @typedef {Node | string} Child */
/** @typedef {{ name: string, parent: string, depth: number, note: string, schema: Schema }} Field */

const json = 'application/json'
const deepestField = 6
const mostOpenOperations = 80
/** What a link may lead to, in the order of the page. */
const places = '.guide, .operation'
/** The contract's plain text refuses control characters with an unreadable pattern. */
const plainText = /^\^\[\^\\u0000-\\u001f[^\]]*\]\*\$$/

/** @type {Components} */
let components = { schemas: {} }
/** @type {Description['x-access-roles']} */
let rolesOf = {}

// Elements

const byId = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id))
const showState = (/** @type {Child[]} */ ...words) => byId('state').replaceChildren(...words)

/** @param {string} tag @param {Record<string, string>} attributes @param {Child[]} children */
function make(tag, attributes, ...children) {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  made.append(...children)
  return made
}

const code = (/** @type {unknown} */ text) => make('code', {}, String(text))

/** Text in which `backticks` mark code. @param {string} text @returns {Child[]} */
const prose = (text) => (text ? text.split('`').map((part, i) => (i % 2 ? code(part) : part)) : [])

/** @param {readonly unknown[]} values @returns {Child[]} */
const codes = (values) => values.flatMap((value, i) => (i ? [', ', code(value)] : [code(value)]))

const badge = (/** @type {string} */ method) => make('span', { class: `method ${method}` }, method.toUpperCase())

/**
 * Empty columns are left out. Roles are spelled out because the style sheet stacks the cells where
 * there is no room for columns, which alone would take the meaning of a table from them.
 * @param {string} label @param {string[]} heads @param {Child[][][]} rows
 */
function table(label, heads, rows) {
  const isUsed = heads.map((_, i) => rows.some((cells) => cells[i]?.length))
  /** @param {Child[]} content @param {string} role @param {number} i */
  const cell = (content, role, i) => make('td', { role, class: `${heads[i]}`.toLowerCase() }, ...content)
  const row = (/** @type {Node[]} */ cells) => make('tr', { role: 'row' }, ...cells.filter((_, i) => isUsed[i]))
  const head = row(heads.map((name, i) => cell([name], 'columnheader', i)))
  const body = rows.map((cells) => row(cells.map((content, i) => cell(content, i ? 'cell' : 'rowheader', i))))
  const groups = [make('thead', { role: 'rowgroup' }, head), make('tbody', { role: 'rowgroup' }, ...body)]
  return make('table', { role: 'table', 'aria-label': label }, ...groups)
}

// Schemas

/**
 * What a reference leads to, or the thing itself.
 * @template T @param {T} named @returns {Exclude<T, { readonly $ref: string }>}
 */
function follow(named) {
  const { $ref } = /** @type {{ $ref?: string }} */ (named)
  const [kind = '', name = ''] = $ref?.split('/').slice(2) ?? []
  const found = /** @type {unknown} */ ($ref ? components[kind]?.[name] : named)
  return /** @type {Exclude<T, { readonly $ref: string }>} */ (found)
}

/** Through references and unions with null. @param {Schema} schema @returns {[plain: Schema, isNullable: boolean]} */
function plainOf(schema) {
  const { anyOf, ...around } = follow(schema)
  const forms = anyOf?.filter((form) => form.type !== 'null') ?? []
  const inner = forms.length > 1 ? { anyOf: forms } : forms[0] && plainOf(forms[0])[0]
  return [{ ...inner, ...around }, forms.length < (anyOf?.length ?? 0)]
}

/** @param {Schema} schema @returns {string} */
function typeOf(schema) {
  const [plain] = plainOf(schema)
  if (plain.anyOf) return [...new Set(plain.anyOf.map(typeOf))].join(' or ')
  if (plain.type === 'array') return `array of ${typeOf(plain.items ?? {})}`
  return plain.type ?? (plain.const === undefined ? 'any' : typeof plain.const)
}

/** @param {string} unit @param {number} [min] @param {number} [max] */
function spanOf(unit, min, max) {
  if (min === undefined && max === undefined) return []
  if (max === undefined) return [`at least ${min}${unit}`]
  if (min === undefined) return [`at most ${max}${unit}`]
  return [min === max ? `exactly ${min}${unit}` : `${min} to ${max}${unit}`]
}

/** Each limit in words. @param {Schema} schema @returns {Child[][]} */
function limitsOf(schema) {
  const [plain, isNullable] = plainOf(schema)
  const { pattern, 'x-fault': form = plainText.test(pattern ?? '') ? 'no control characters' : '' } = plain
  const limits = [
    isNullable ? ['may be null'] : [],
    plain.enum ? ['one of ', ...codes(plain.enum)] : [],
    plain.const === undefined ? [] : ['always ', code(JSON.stringify(plain.const))],
    spanOf('', plain.minimum, plain.maximum),
    spanOf(' characters', plain.minLength, plain.maxLength),
    spanOf(' items', plain.minItems, plain.maxItems),
    plain.uniqueItems ? ['no item twice'] : [],
    form ? [form] : pattern ? ['matches ', code(pattern)] : [],
    plain.default === undefined ? [] : ['default ', code(JSON.stringify(plain.default))],
    ...(plain.anyOf ?? []).flatMap(limitsOf),
    ...(plain.items ? limitsOf(plain.items) : []).map((limit) => ['each: ', ...limit]),
  ]
  return limits.filter((limit) => limit.length > 0)
}

/** Every field of a body, parents before their parts. @param {Schema} schema @returns {Field[]} */
function fieldsOf(schema, isReply = false, parent = '', depth = 0) {
  const [plain] = plainOf(schema)
  if (depth > deepestField) return []
  if (plain.items) return fieldsOf(plain.items, isReply, parent.replace(/\.$/, '[].'), depth)
  /** @param {string} name @param {Schema} part @returns {Field[]} */
  const field = (name, part, note = '') => [
    { name, parent, depth, note, schema: part },
    ...fieldsOf(part, isReply, `${parent}${name}.`, depth + 1),
  ]
  const required = new Set(plain.required)
  const word = isReply ? 'optional' : 'required' // Only what may be absent, or must be sent, is marked.
  const forms = plain.anyOf?.filter((form) => typeOf(form) === 'object') ?? []
  return [
    ...Object.entries(plain.properties ?? {}).flatMap(([name, part]) =>
      field(name, part, required.has(name) === isReply ? '' : word),
    ),
    ...Object.values(plain.patternProperties ?? {}).flatMap((part) => field('(any name)', part)),
    ...forms.flatMap((form, i) => field(`(form ${i + 1})`, form)),
  ]
}

/** @param {Schema} schema @param {string} [description] */
const schemaCells = (schema, description) => [
  [typeOf(schema)],
  limitsOf(schema).map((limit) => make('div', {}, ...limit)),
  prose(description ?? plainOf(schema)[0].description ?? ''),
]

/** @param {string} name @param {string} note @returns {Child[]} */
const nameCell = (name, note, parent = '', depth = 0) => [
  make('span', { class: `depth-${depth}` }, make('span', { class: 'unseen' }, parent), code(name)),
  ...(note ? [' ', make('span', { class: 'note' }, note)] : []),
]

/** @param {Parameter} parameter */
const schemaOf = ({ schema, content }) => schema ?? content?.[json]?.schema ?? {}

/** @param {string} label @param {readonly Parameter[]} parameters */
function parameterTable(label, parameters) {
  const rows = parameters.map((it) => {
    const note = [it.required && 'required', it.content && 'JSON text'].filter(Boolean).join(', ')
    return [nameCell(it.name, note), [it.in], ...schemaCells(schemaOf(it), it.description)]
  })
  return table(label, ['Name', 'In', 'Type', 'Limits', 'Description'], rows)
}

/** What a body is, unless simply an object, then its fields. @param {string} label @param {Schema} schema */
function bodyParts(label, schema, isReply = false) {
  const fields = fieldsOf(schema, isReply)
  const rows = fields.map((it) => [nameCell(it.name, it.note, it.parent, it.depth), ...schemaCells(it.schema)])
  const words = [typeOf(schema), ...limitsOf(schema).flatMap((limit) => [', ', ...limit])]
  const opening = fields.length > 0 && words[0] === 'object' ? [] : [make('p', {}, 'JSON: ', ...words, '.')]
  return fields.length > 0 ? [...opening, table(label, ['Field', 'Type', 'Limits', 'Description'], rows)] : opening
}

// Examples

/** @param {Parameter} parameter */
const exampleIn = ({ example, content }) => example ?? content?.[json]?.example

const written = (/** @type {unknown} */ value) => (typeof value === 'string' ? value : JSON.stringify(value))
const shellWord = (/** @type {string} */ text) =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

/** @param {Operation} operation */
function callPath({ path, parameters }) {
  const needed = parameters.filter((it) => it.in === 'query' && it.required)
  const query = needed.map((it) => `${it.name}=${encodeURIComponent(written(exampleIn(it)))}`)
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => String(name).toUpperCase())
  return query.length > 0 ? `${filled}?${query.join('&')}` : filled
}

/** The call with curl and with gw, which signs in its own way, and the reply. @param {Operation} operation */
function examplesOf(operation) {
  const { method, summary, requestBody, responses, 'x-access': access } = operation
  const body = requestBody?.content[json]?.example
  const reply = responses[200]?.content?.[json]?.example
  const isPublic = access === 'public'
  const signsIn = isPublic && method === 'post'
  const cookies = signsIn ? ' -c session.txt' : isPublic ? '' : ' -b session.txt'
  const curl = [
    `curl${cookies}${method === 'get' ? '' : ` -X ${method.toUpperCase()}`}`,
    shellWord(location.origin + callPath(operation)),
    ...(body === undefined ? [] : [`-d ${shellWord(JSON.stringify(body))}`]),
  ]
  const values = Object.entries(/** @type {object} */ (body ?? {}))
  const fields = values.map(([name, it]) => `${name}${typeof it === 'object' ? ':=' : '='}${shellWord(written(it))}`)
  const gw = signsIn ? ['gw login'] : ['gw', method, shellWord(callPath(operation)), ...fields]
  return [
    example('curl', curl.join(' '), summary),
    ...(isPublic && !signsIn ? [] : [example('gw', gw.join(' '), summary)]),
    ...(reply === undefined ? [] : [example('reply', JSON.stringify(reply, null, 2), summary)]),
  ]
}

/** @param {string} kind @param {string} text @param {string} about */
function example(kind, text, about) {
  const block = make('pre', {}, code(text))
  const button = make('button', { type: 'button', 'aria-label': `Copy the ${kind} example: ${about}` }, 'Copy')
  button.addEventListener('click', () => copy(text, block))
  return make('figure', {}, make('figcaption', {}, kind, button), block)
}

/** @param {string} text @param {Node} block */
async function copy(text, block) {
  // Browsers give the clipboard only to pages that came over TLS; for others the text is selected.
  const copied = navigator.clipboard?.writeText(text).then(() => true)
  const isCopied = await copied?.catch(() => false)
  if (!isCopied) getSelection()?.selectAllChildren(block)
  byId('announcement').textContent = isCopied ? 'Copied.' : 'The text is selected: press Ctrl+C to copy it.'
  setTimeout(() => byId('announcement').replaceChildren(), 4000)
}

// Operations

const steersChange = (/** @type {Parameter} */ it) => it.in === 'header' || it.name === 'dry_run'

/** @param {Operation} operation @returns {Child[]} */
function accessWords({ 'x-access': access }) {
  if (access === 'public') return ['Open to everyone, signed in or not.']
  if (access === 'signed-in') return ['For every administrator who is signed in.']
  return ['Needs the access ', code(access), ', which these roles have: ', ...codes(rolesOf[access] ?? []), '.']
}

/** The template with its parts filled; those with nothing to say go. @param {Record<string, Child[]>} parts */
function articleOf(parts) {
  const template = /** @type {HTMLTemplateElement} */ (byId('operation'))
  const article = /** @type {HTMLElement} */ (template.content.firstElementChild?.cloneNode(true))
  for (const part of article.querySelectorAll('[data-part]')) {
    const content = parts[part.getAttribute('data-part') ?? '']
    if (content?.length) part.append(...content)
    else part.remove()
  }
  return article
}

/** What a dry run answers is told once for all changes. @param {Schema} schema @returns {Schema | undefined} */
function withoutDryRun(schema) {
  const isDryRun = (/** @type {Schema} */ form) => form.$ref === '#/components/schemas/DryRun'
  return isDryRun(schema) || schema.anyOf?.some(isDryRun) ? schema.anyOf?.find((form) => !isDryRun(form)) : schema
}

/** Errors of this operation by status, then those of all such calls. @param {Operation['responses']} responses */
function errorParts({ 200: _success, default: others, ...own }) {
  const items = Object.entries(own).map(([status, it]) => make('li', {}, code(status), ' ', ...prose(it.description)))
  const summary = make('summary', {}, 'Errors of any such call')
  const rest = make('p', { class: 'lines' }, ...prose(others?.description ?? ''))
  return [...(items.length > 0 ? [make('ul', {}, ...items)] : []), make('details', {}, summary, rest)]
}

/** @param {Operation} operation */
function showOperation(operation) {
  const { operationId, summary, description = '', method, path, parameters, requestBody, responses } = operation
  const own = parameters.filter((it) => !steersChange(it))
  const body = requestBody?.content[json]
  const { [json]: success, ...others } = responses[200]?.content ?? {}
  const reply = success && withoutDryRun(success.schema)
  const heading = make('h3', { tabindex: '-1' }, make('a', { href: `#${operationId}` }, summary))
  const article = articleOf({
    head: [heading, make('p', { class: 'call' }, badge(method), ' ', code(path))],
    description: prose(description),
    access: accessWords(operation),
    change: own.length < parameters.length ? [''] : [],
    parameters: own.length > 0 ? [parameterTable('Parameters', own)] : [],
    body: body ? bodyParts('Request body', body.schema) : [],
    reply: reply ? bodyParts('Reply', reply, true) : [make('p', {}, 'Status 200 and no JSON.')],
    also: codes(Object.keys(others)),
    errors: errorParts(responses),
    examples: examplesOf(operation),
  })
  article.id = operationId
  return article
}

/** @param {Operation} operation */
function menuItem({ operationId, method, path, summary }) {
  const link = make('a', { href: `#${operationId}` }, badge(method), make('span', {}, summary, code(path)))
  return make('li', { 'data-words': `${method} ${path} ${summary}`.toLowerCase() }, link)
}

/** @param {Description} description @param {Operation | undefined} change Any that changes the configuration. */
function showGuide({ info, components: { schemas } }, change) {
  const steering = change?.parameters.filter(steersChange) ?? []
  const headers = Object.entries(change?.responses[200]?.headers ?? {}).map(
    ([name, it]) => /** @type {[string, Header]} */ ([name, follow(it)]),
  )
  const headerRows = headers.map(([name, it]) => [nameCell(name, ''), ...schemaCells(it.schema, it.description)])
  document.title = `${info.title} API ${info.version}`
  byId('title').textContent = `${info.title} API`
  byId('version').textContent = info.version
  byId('description').textContent = info.description
  byId('change-parameters').replaceChildren(parameterTable('What a change takes', steering))
  byId('change-headers').replaceChildren(table('Headers', ['Name', 'Type', 'Limits', 'Description'], headerRows))
  byId('dry-run').replaceChildren(...bodyParts('Reply to a dry run', schemas.DryRun ?? {}, true))
  byId('error-fields').replaceChildren(...bodyParts('Error body', schemas.Error ?? {}, true))
}

/** @param {string} path @param {Path} item @returns {Operation[]} */
function operationsOf(path, { parameters: common = [], ...methods }) {
  return Object.entries(methods).map(([method, { parameters = [], requestBody, responses, ...rest }]) => ({
    ...rest,
    method,
    path,
    parameters: [...common, ...parameters].map(follow),
    ...(requestBody ? { requestBody: follow(requestBody) } : {}),
    responses: Object.fromEntries(Object.entries(responses).map(([status, it]) => [status, follow(it)])),
  }))
}

/** @param {Description} description */
function show(description) {
  components = description.components
  rolesOf = description['x-access-roles']
  const operations = Object.entries(description.paths).flatMap(([path, item]) => operationsOf(path, item))
  const opening = operations.length > mostOpenOperations ? {} : { open: '' }
  const change = operations.find((it) => it.parameters.some(steersChange))
  showGuide(description, change)
  byId('areas').replaceChildren()
  byId('operations').replaceChildren()
  for (const { name } of description.tags) {
    const own = operations.filter(({ tags }) => tags.includes(name))
    const list = make('ul', { 'aria-label': name }, ...own.map(menuItem))
    byId('areas').append(make('details', opening, make('summary', {}, name), list))
    byId('operations').append(make('section', {}, make('h2', {}, name), ...own.map(showOperation)))
  }
  byId('reference').hidden = false
}

// Finding one's way

/** Every word must occur in the method, the path or the summary. @param {string} text */
function filter(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  for (const area of byId('areas').querySelectorAll('details')) {
    const items = [...area.querySelectorAll('li')]
    for (const item of items) item.hidden = !words.every((word) => item.dataset.words?.includes(word))
    area.hidden = items.every((item) => item.hidden)
    if (words.length > 0) area.open = true
  }
  const count = byId('areas').querySelectorAll('li:not([hidden])').length
  byId('count').textContent = count === 1 ? '1 operation' : `${count || 'No'} operations`
}

function markCurrent(/** @type {Element} */ place) {
  if (place.classList.contains('current')) return
  document.querySelector('.current')?.classList.remove('current')
  document.querySelector('[aria-current]')?.removeAttribute('aria-current')
  place.classList.add('current')
  const link = byId('menu').querySelector(`a[href="#${place.id}"]`)
  link?.setAttribute('aria-current', 'location')
  link?.closest('details')?.setAttribute('open', '')
  link?.scrollIntoView({ block: 'nearest' })
}

function followHash() {
  const id = location.hash.slice(1)
  const target = document.getElementById(id)
  showState(id && !target ? `The API has no operation ${id}.` : '')
  openMenu(false)
  if (!target?.matches(places)) return
  target.scrollIntoView()
  const heading = /** @type {HTMLElement | null} */ (target.querySelector('[tabindex]'))
  heading?.focus({ preventScroll: true })
  markCurrent(target)
}

/** The last place that begins above the upper edge of the text is the current one. */
function followScrolling() {
  const begun = [...document.querySelectorAll(places)].findLast((place) => place.getBoundingClientRect().top < 100)
  if (begun) markCurrent(begun)
}

/** Where the menu has no separate column. */
function openMenu(/** @type {boolean} */ isOpen) {
  byId('menu').classList.toggle('open', isOpen)
  byId('menu-button').setAttribute('aria-expanded', String(isOpen))
}

function onKey(/** @type {KeyboardEvent} */ event) {
  const box = byId('filter')
  const first = /** @type {HTMLElement | null} */ (byId('areas').querySelector('li:not([hidden]) a'))
  if (event.key === 'Escape') openMenu(false)
  if (event.key === 'Enter' && event.target === box) first?.click()
  if (event.key !== '/' || event.target === box || event.ctrlKey || event.metaKey || event.altKey) return
  event.preventDefault()
  openMenu(true)
  box.focus()
}

async function load() {
  showState('Loading the API description…')
  try {
    const response = await fetch('/openapi.json', { signal: AbortSignal.timeout(20_000) })
    if (!response.ok) throw new Error(`the gateway answered with status ${response.status}`)
    show(await response.json())
    filter('')
    followHash()
    followScrolling()
  } catch (error) {
    const again = make('button', { type: 'button' }, 'Try again')
    again.addEventListener('click', load)
    showState(`The API description could not be loaded: ${/** @type {Error} */ (error).message}. `, again)
  }
}

byId('filter').addEventListener('input', ({ target }) => filter(/** @type {HTMLInputElement} */ (target).value))
byId('menu-button').addEventListener('click', () => openMenu(!byId('menu').classList.contains('open')))
addEventListener('keydown', onKey)
addEventListener('hashchange', followHash)
addEventListener('scroll', followScrolling, { passive: true })
void load()
