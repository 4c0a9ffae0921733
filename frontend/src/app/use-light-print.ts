import { useEffect } from "react";

const SCHEME = "data-mantine-color-scheme";

/** Prints in light colours whatever the screen shows: a printer leaves out the backgrounds that light text needs. */
export function useLightPrint(): void {
  useEffect(() => {
    const root = document.documentElement;
    let shown: string | null = null;
    const before = () => {
      shown = root.getAttribute(SCHEME);
      root.setAttribute(SCHEME, "light");
    };
    const after = () => {
      if (shown !== null) {
        root.setAttribute(SCHEME, shown);
      }
    };
    window.addEventListener("beforeprint", before);
    window.addEventListener("afterprint", after);
    return () => {
      window.removeEventListener("beforeprint", before);
      window.removeEventListener("afterprint", after);
    };
  }, []);
}
