// Copies the value of a field: a button with data-copy, the field's selector; it shows data-copied afterwards.
for (const button of document.querySelectorAll("button[data-copy]")) {
  const field = document.querySelector(button.dataset.copy);
  const label = button.textContent;
  button.hidden = false;
  button.addEventListener("click", async () => {
    field.select();
    // Without HTTPS browsers have no clipboard but that of the old command.
    if (navigator.clipboard) await navigator.clipboard.writeText(field.value).catch(() => document.execCommand("copy"));
    else document.execCommand("copy");
    button.textContent = button.dataset.copied;
    setTimeout(() => (button.textContent = label), 2000);
  });
}
