// Every rank reads the root's input. The others have none, nor anything to publish.
rcclx.collective @broadcast_pull implements broadcast (%rank, %world) {
  %root = rcclx.root
  %in = rcclx.buffer input
  %out = rcclx.buffer output
  %x = rcclx.load %in at %root
  rcclx.store %x, %out
}
