import "@mantine/core/styles.css";
import "@mantine/notifications/styles.css";
import "./app/app.css";
import "./api/client";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app/app";

const root = document.getElementById("root");
if (root === null) {
  throw new Error("index.html has no element with the id `root`");
}
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
