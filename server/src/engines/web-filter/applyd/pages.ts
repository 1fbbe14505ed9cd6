// The pages that Squid shows, as files of its folder: the texts are those of the content filter.

export { errorPages } from '../../../domain/web-filter/block-page.ts'
