// Where a video's sound goes. Made here and not in Python: FFmpeg's thread takes it apart while Python's lock is held.
import QtMultimedia

AudioOutput {}
