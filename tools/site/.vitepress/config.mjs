// SPDX-License-Identifier: Apache-2.0

// The site of docs and of the pages of systems. The build copies both, since VitePress looks for Vue above each page, and calls each README
// index: docs is the root of the site, systems a folder in it. The sidebar has the links of docs/README.md; a link to any other file leads to
// the repository. VitePress fails the build on a link to a page that does not exist.
import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'

const docs = fileURLToPath(new URL('../pages', import.meta.url))
const repository = 'https://github.com/tristate/tristate'

const README = /(^|\/)README\.md$/

// The page of the site that a file of the repository becomes, if it becomes one.
function published(file) {
  return /^(docs|systems)\/.*\.md$/.test(file) ? '/' + file.replace(/^docs\//, '').replace(README, '$1index.md') : undefined
}

// Each section of the index is a group, each link in its tables a page.
function sidebar() {
  const groups = []
  for (const line of readFileSync(`${docs}/index.md`, 'utf8').split('\n')) {
    if (line.startsWith('## ')) groups.push({ text: line.slice(3), collapsed: false, items: [] })
    if (!line.startsWith('|')) continue
    for (const [, text, target] of line.matchAll(/\[([^\]]+)\]\(([^)#]+\.md)\)/g)) {
      const page = published(posix.join('docs', target))
      if (page) groups.at(-1).items.push({ text, link: page.replace(/(index)?\.md$/, '') })
    }
  }
  return groups.filter((group) => group.items.length > 0)
}

// A link to a file that is not a page of the site leads to the repository.
function links(md) {
  md.core.ruler.push('links', (state) => {
    for (const token of state.tokens.flatMap((t) => t.children ?? [])) {
      const href = token.type === 'link_open' ? token.attrGet('href') : null
      if (!href || /^([a-z]+:|[#/])/.test(href)) continue
      const [file, anchor] = href.split('#')
      const page = state.env.relativePath ?? ''
      const target = posix.join(page.startsWith('systems/') ? '' : 'docs', posix.dirname(page), file)
      const to = published(target) ?? `${repository}/blob/main/${target}`
      token.attrSet('href', anchor ? `${to}#${anchor}` : to)
    }
  })
}

// Pages are text: braces are no expressions of Vue, in which VitePress compiles them.
function literal(md) {
  for (const rule of ['text', 'code_inline', 'code_block']) {
    const render = md.renderer.rules[rule]
    md.renderer.rules[rule] = (...args) => render(...args).replaceAll('{{', '&#123;&#123;')
  }
}

function escape(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

export default defineConfig({
  title: 'Tristate',
  description: 'Which objects of a cluster are unhealthy, and why; status conditions that are declared.',
  srcDir: docs,
  outDir: fileURLToPath(new URL('../../../dist/site', import.meta.url)),
  cacheDir: fileURLToPath(new URL('../node_modules/.cache', import.meta.url)),
  base: process.env.SITE_BASE ?? '/',
  cleanUrls: false,
  lastUpdated: false,
  markdown: {
    config: (md) => [links, literal].forEach((change) => change(md)),
    attrs: { disable: true },
    highlight: (code) => `<pre v-pre><code>${escape(code)}</code></pre>`, // most blocks are output of commands, which has no grammar
    html: false,
  },
  vite: { build: { chunkSizeWarningLimit: 2000 } },
  themeConfig: {
    nav: [{ text: 'Documents', link: '/' }],
    sidebar: sidebar(),
    outline: [2, 3],
    socialLinks: [{ icon: 'github', link: repository }],
  },
})
