// A picture of one element, larger: `node test/zoom.mjs PATH SELECTOR NAME`.
import { browse, tab } from "./chromium.ts";
import { staged } from "./scene.ts";
const [, , path = "/", selector = "body", name = "zoom"] = process.argv;
const server = await staged();
const browser = await browse();
const { page } = await tab(browser, { deviceScaleFactor: 2 });
await page.goto(server.url + path);
await page.locator(selector).first().waitFor();
await page.locator(selector).first().screenshot({ path: `.work/shots/${name}.png` });
await browser.close();
server.stop();
