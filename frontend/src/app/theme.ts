import { type CSSVariablesResolver, createTheme } from "@mantine/core";

/** One accent colour, system fonts, tabular figures (see app.css). */
export const theme = createTheme({
  primaryColor: "indigo",
  primaryShade: { light: 8, dark: 8 },
  fontFamily:
    'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "DejaVu Sans Mono", Menlo, monospace',
  headings: { fontWeight: "650" },
  defaultRadius: "sm",
  cursorType: "pointer",
  respectReducedMotion: true,
  components: {
    Modal: { defaultProps: { transitionProps: { duration: 0 } } },
    Popover: { defaultProps: { transitionProps: { duration: 0 } } },
    Tooltip: {
      defaultProps: {
        multiline: true,
        maw: 340,
        withArrow: true,
        events: { hover: true, focus: true, touch: true },
        transitionProps: { duration: 0 },
      },
    },
  },
});

/** Contrast AA in both schemes, where the kit's defaults fall short of it. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    "--mantine-color-dimmed": "#5c636a",
    "--mantine-color-placeholder": "#6b7278",
    "--mantine-color-error": "#b02525",
    "--mantine-color-anchor": "#364fc7",
    "--tw-skeleton": "#f1f3f5",
    "--tw-panel": "#ffffff",
    "--tw-page": "#f8f9fa",
    "--tw-line": "#dee2e6",
    "--tw-good": "#006b4f",
    "--tw-warn": "#8a4b00",
  },
  dark: {
    "--mantine-color-body": "#17191c",
    "--mantine-color-dimmed": "#a6adb4",
    "--mantine-color-placeholder": "#949ba2",
    "--mantine-color-error": "#ff9b9b",
    "--mantine-color-anchor": "#a5b8ff",
    "--tw-skeleton": "#24272b",
    "--tw-panel": "#1f2226",
    "--tw-page": "#17191c",
    "--tw-line": "#363b41",
    "--tw-good": "#4fd6ad",
    "--tw-warn": "#ffc078",
  },
});
