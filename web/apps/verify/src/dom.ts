type Child = Node | string | undefined;
type Attributes = Record<string, string | boolean | ((event: Event) => void)>;

/** An element with attributes and children; text is never markup. */
export function el<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(key, value);
    else if (value === true) element.setAttribute(key, '');
    else if (value !== false) element.setAttribute(key, value);
  }
  element.append(...children.filter((child): child is Node | string => child !== undefined));
  return element;
}

/** The element with an identifier of the page's own. */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}
